package io.holdfast.tck.engine.world;

import io.holdfast.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A client's own clocks, of which the wall clock can be set. Thread-safe. */
public final class ShiftedTicker implements Ticker {
    private final Ticker ticker;
    private final AtomicLong shift = new AtomicLong();

    public ShiftedTicker(Ticker ticker) {
        this.ticker = ticker;
    }

    public void shift(Duration by) {
        shift.addAndGet(by.toNanos() / 1000);
    }

    @Override
    public long nanos() {
        return ticker.nanos();
    }

    @Override
    public long wallMicros() {
        return ticker.wallMicros() + shift.get();
    }
}
