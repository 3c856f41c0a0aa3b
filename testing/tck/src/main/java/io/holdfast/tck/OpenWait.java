package io.holdfast.tck;

import io.holdfast.spi.WaitingThread;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The wait of a thread that can be lent, which lasts until it is {@linkplain #end ended} or patience is at an end. */
public final class OpenWait implements WaitingThread {
    private final long until = System.nanoTime() + TestTime.patience().toNanos();
    private final AtomicInteger afterwards = new AtomicInteger();
    private volatile boolean over;
    private volatile @Nullable Runnable wake;

    /** Begins now. */
    public OpenWait() {}

    /** Ends it, and wakes the thread if it is lent. */
    public void end() {
        over = true;
        Runnable back = wake;
        if (back != null) {
            back.run();
        }
    }

    /** Whether a store has the thread. */
    public boolean isLent() {
        return wake != null;
    }

    /** How often a store did what is done afterwards. */
    public int doneAfterwards() {
        return afterwards.get();
    }

    @Override
    public boolean waits() {
        return !over;
    }

    @Override
    public long nanosLeft() {
        return until - System.nanoTime();
    }

    @Override
    public void wokenBy(@Nullable Runnable value) {
        wake = value;
    }

    @Override
    public void afterwards() {
        afterwards.incrementAndGet();
    }
}
