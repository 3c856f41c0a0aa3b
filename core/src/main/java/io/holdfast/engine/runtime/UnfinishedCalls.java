package io.holdfast.engine.runtime;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Counts the store calls of one client from the moment they are decided until their answer was taken in. A client that
 * is being closed keeps its store open until the count is zero, or for two I/O timeouts (L16).
 */
public final class UnfinishedCalls {
    private final AtomicInteger count = new AtomicInteger();
    private volatile @Nullable Runnable onQuiet;

    /** A call was decided. It may not be sent yet. */
    public void begin() {
        count.incrementAndGet();
    }

    /** The answer was taken in, and what follows from it is counted. */
    public void end() {
        if (count.decrementAndGet() == 0) {
            Runnable action = onQuiet;
            if (action != null) {
                action.run();
            }
        }
    }

    /** Runs {@code action} as soon as no call is unfinished, perhaps more than once. */
    public void whenQuiet(Runnable action) {
        onQuiet = action;
        if (count.get() == 0) {
            action.run();
        }
    }
}
