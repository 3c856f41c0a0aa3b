package io.holdfast.tck;

import io.holdfast.Scheduler;
import io.holdfast.Ticker;
import java.time.Duration;

/** The time of a test: what clients see of it, and the only way in which a test lets it pass. Thread-safe. */
public interface TestTime extends AutoCloseable {
    /** The clocks of the clients. */
    Ticker ticker();

    /** The timers of the clients. */
    Scheduler scheduler();

    /** How long a test keeps up a load: a minute where that costs nothing, else what a test run can afford. */
    Duration longLoad();

    /** Returns when {@code time} has passed, on all clocks. */
    void elapse(Duration time) throws InterruptedException;

    /** Frees what it uses. */
    @Override
    void close();

    /** How much longer than usual things may take, from the system property {@code holdfast.timeScale}. */
    static Duration scaled(Duration usual) {
        return usual.multipliedBy(Long.getLong("holdfast.timeScale", 1));
    }

    /** How long a test waits for what must happen: 20 s, or the system property {@code holdfast.tck.patienceMillis}. */
    static Duration patience() {
        return scaled(Duration.ofMillis(Long.getLong("holdfast.tck.patienceMillis", 20_000)));
    }
}
