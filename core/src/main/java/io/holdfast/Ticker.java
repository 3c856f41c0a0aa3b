package io.holdfast;

import java.util.concurrent.TimeUnit;

/**
 * The two clocks of a client. Injected everywhere, so that the engine can run on virtual time.
 *
 * <p>Leases are counted on the monotonic clock only; the wall clock serves to notice that the machine was suspended
 * (a monotonic clock may stand still meanwhile) and to seed tokens. Implementations are thread-safe and never block.
 */
public interface Ticker {
    /** The monotonic clock in nanoseconds; only differences mean anything. */
    long nanos();

    /** The wall clock in microseconds since 1970. It may jump in either direction. */
    long wallMicros();

    /** The clocks of this machine. */
    static Ticker system() {
        return SystemTicker.INSTANCE;
    }

    /** The machine's own clocks. */
    enum SystemTicker implements Ticker {
        /** The only instance. */
        INSTANCE;

        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long wallMicros() {
            return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
        }
    }
}
