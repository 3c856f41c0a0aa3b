package io.holdfast.cli.supervise;

import io.holdfast.Lease;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Runs a command under a lease, and hears of signals and renewals before and meanwhile. Thread-safe but for run. */
public final class Supervisor {
    private final StopTimes times;
    private final Containment containment;
    private final Consumer<String> warn;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private List<Long> survivors = List.of();

    /** Of one run. {@code warn} is given lines for people. */
    public Supervisor(StopTimes times, Containment containment, Consumer<String> warn) {
        this.times = times;
        this.containment = containment;
        this.warn = warn;
    }

    /** Passes a signal on. May be called before the command runs; it then gets the signal as soon as it does. */
    public void signalled(Signals signal) {
        events.add(new Event.Signalled(signal));
    }

    /** Says that the lease was renewed. */
    public void renewed() {
        events.add(new Event.Renewed());
    }

    /**
     * Runs {@code words} under {@code lease} to its end. The lease is not released.
     *
     * @param stillClosed asks the store whether a lease that was revoked keeps the lock closed until its end; may block
     * @throws IOException if the command cannot be started
     * @throws InterruptedException if the thread was interrupted; the command has been stopped then
     */
    public Ending run(Lease lease, List<String> words, Map<String, String> environment, BooleanSupplier stillClosed)
            throws IOException, InterruptedException {
        Supervision supervision = new Supervision(lease, times, containment, warn, events, stillClosed);
        try {
            return supervision.run(words, environment);
        } finally {
            survivors = supervision.survivors();
        }
    }

    /** Processes of the command that could not be stopped: the lock must not be released while there are any. */
    public List<Long> survivors() {
        return survivors;
    }
}
