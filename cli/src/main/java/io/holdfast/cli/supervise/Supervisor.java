package io.holdfast.cli.supervise;

import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import io.holdfast.cli.output.Spoken;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs one command under one lease.
 *
 * <p>One thread decides, in the order of a queue of {@link Event}s: it is either <em>running</em> or <em>stopping</em>
 * the command, and never goes back. What it decides the {@link Watchdog} carries out, which would do the same without
 * it.
 *
 * <ul>
 *   <li>I1 While running, the watchdog knows the end of the lease as of the last answered renewal.
 *   <li>I2 The command gets TERM at the latest {@code grace + margin} and KILL at the latest {@code margin} before the
 *       end of the lease, counted on this machine's clock from before the renewal was sent.
 *   <li>I3 A lease that was revoked is valid in the store until the end that was known before: the command has until
 *       then. A lease that is gone already leaves it {@link #AFTER_LOSS} to end.
 *   <li>I4 The lock is released only after the command and what it left in its session have ended.
 * </ul>
 */
public final class Supervisor {
    private static final Duration AFTER_LOSS = Duration.ofSeconds(1);
    private static final Duration LONGEST_TIDYING = Duration.ofSeconds(15);

    private final StopTimes times;
    private final Containment containment;
    private final Consumer<String> warn;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

    private String marker = "";
    private @Nullable Lease lease;
    private @Nullable Watchdog watchdog;
    private @Nullable Process command;
    private long leaseEnd;
    private long killTime;
    private boolean warned;
    private boolean stopping;
    private int watchdogsLost;

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
     * @throws IOException if the command cannot be started
     * @throws InterruptedException if the thread was interrupted; the command is being stopped then
     */
    public Ending run(Lease lease, List<String> words, Map<String, String> environment)
            throws IOException, InterruptedException {
        this.lease = lease;
        // No other run has it, now or later: tokens grow, and no two processes have one id at one time.
        marker = "run-" + ProcessHandle.current().pid() + "-" + lease.token() + "-";
        startWatchdog();
        try {
            heartbeat();
            command = start(words, environment);
            heartbeat();
            lease.onJeopardy(remaining -> events.add(new Event.InJeopardy(remaining)));
            lease.onLost(loss -> events.add(new Event.LeaseLost(loss)));
            watch(command, code -> new Event.Exited(code));
            return untilTheEnd();
        } finally {
            endNow();
            watchdog().close();
        }
    }

    /** If something went wrong here: nothing of the command may outlive the lock (I4). */
    private void endNow() {
        Process running = command;
        if (running == null || !running.isAlive()) {
            return;
        }
        stop(AFTER_LOSS);
        boolean interrupted = Thread.interrupted();
        try {
            watchdog().finish(AFTER_LOSS.plus(LONGEST_TIDYING));
        } catch (InterruptedException e) {
            interrupted = true;
        }
        running.destroyForcibly();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Ending untilTheEnd() throws InterruptedException {
        while (true) {
            @Nullable Event event = events.poll(nanosUntilNextStep(), TimeUnit.NANOSECONDS);
            if (event instanceof Event.Exited exited) {
                return ended(exited.code());
            }
            if (event == null) {
                nextStep();
            } else if (event instanceof Event.Renewed) {
                heartbeat();
            } else if (event instanceof Event.Signalled signalled) {
                pass(signalled.signal());
            } else if (event instanceof Event.InJeopardy jeopardy) {
                warnOfJeopardy(jeopardy.remaining());
            } else if (event instanceof Event.LeaseLost lost) {
                stopAfter(lost.loss());
            } else if (event instanceof Event.WatchdogGone gone && gone.watchdog() == watchdog) {
                replaceWatchdog();
            }
        }
    }

    private Ending ended(int code) throws InterruptedException {
        LeaseState state = lease().state();
        Duration untilKill = Duration.ofNanos(stopping ? Math.max(0, killTime - System.nanoTime()) : 0);
        Watchdog.Verdict verdict = watchdog().finish(untilKill.plus(LONGEST_TIDYING));
        switch (verdict) {
            case TIDIED ->
                warn.accept("stopped processes that the command had left behind when it ended;"
                        + " start with setsid what is meant to outlive the lock");
            case BROKEN ->
                warn.accept("the watchdog did not end properly: check for processes that the command left behind");
            case CLEAN, STOPPED -> {}
        }
        boolean lost = state == LeaseState.LOST || lease().state() == LeaseState.LOST;
        return new Ending(code, stopping || lost || verdict == Watchdog.Verdict.STOPPED);
    }

    private long nanosUntilNextStep() {
        if (stopping) {
            return Math.max(killTime - System.nanoTime(), TimeUnit.MILLISECONDS.toNanos(100));
        }
        Duration remaining = lease().remaining();
        return (warned ? times.untilTerm(remaining) : times.untilWarning(remaining)).toNanos();
    }

    private void nextStep() {
        if (stopping) {
            if (command != null && System.nanoTime() - killTime >= 0) {
                // The watchdog has done this, unless somebody killed it too.
                command.destroyForcibly();
            }
            return;
        }
        Duration remaining = lease().remaining();
        if (times.untilWarning(remaining).isZero()) {
            warnOfJeopardy(remaining);
        }
        if (times.untilTerm(remaining).isZero()) {
            warn.accept("the lease of '" + lease().lockName() + "' was not renewed and ends in " + Spoken.of(remaining)
                    + ": stopping the command");
            stop(times.untilKill(remaining));
        }
    }

    private void warnOfJeopardy(Duration remaining) {
        if (!stopping && !warned) {
            warned = true;
            warn.accept("jeopardy: the store does not renew the lease of '" + lease().lockName() + "', which ends in "
                    + Spoken.of(remaining) + "; the command gets TERM in " + Spoken.of(times.untilTerm(remaining))
                    + " unless that changes");
        }
    }

    private void stopAfter(Loss loss) {
        if (stopping) {
            return;
        }
        warn.accept("the lease of '" + loss.lockName() + "' was lost (" + loss.detail() + "): stopping the command");
        Duration known = Duration.ofNanos(Math.max(0, leaseEnd - System.nanoTime()));
        Duration untilKill = times.untilKill(known);
        stop(loss.reason() == LossReason.REVOKED || untilKill.compareTo(AFTER_LOSS) < 0 ? untilKill : AFTER_LOSS);
    }

    private void stop(Duration untilKill) {
        stopping = true;
        killTime = System.nanoTime() + untilKill.toNanos();
        tell(watchdog -> watchdog.stop(untilKill));
    }

    private void pass(Signals signal) {
        // In a terminal's foreground the kernel gives Ctrl-C to the command as well as to us: once is enough.
        if (containment == Containment.GROUP || signal != Signals.INT) {
            tell(watchdog -> watchdog.signal(signal.name()));
        }
    }

    private void heartbeat() {
        Duration remaining = lease().remaining();
        if (remaining.isZero() || stopping) {
            return;
        }
        leaseEnd = System.nanoTime() + remaining.toNanos();
        warned = false;
        tellTheLease(remaining);
    }

    private void tellTheLease(Duration remaining) {
        long pid = command == null ? 0 : command.pid();
        tell(watchdog -> watchdog.lease(pid, times.untilTerm(remaining), times.untilKill(remaining)));
    }

    private interface Message {
        void sendBy(Watchdog watchdog) throws IOException;
    }

    private void tell(Message message) {
        try {
            message.sendBy(watchdog());
        } catch (IOException e) {
            // It has ended. The event that says so follows, and replaces it.
        }
    }

    private void startWatchdog() {
        Watchdog started = Watchdog.start(marker, containment);
        watchdog = started;
        watch(started.process(), code -> new Event.WatchdogGone(started));
    }

    private void replaceWatchdog() {
        if (watchdog().hasStoppedTheCommand()) {
            stopping = true;
            return;
        }
        watchdogsLost++;
        if (watchdogsLost > 3) {
            throw new UnsupportedSystemException(
                    "the watchdog ends again and again: holdfast run needs sh, timeout, dd and grep", null);
        }
        warn.accept("the watchdog has ended and is started again");
        startWatchdog();
        tellTheLease(stopping ? Duration.ofNanos(Math.max(0, leaseEnd - System.nanoTime())) : lease().remaining());
        if (stopping) {
            tell(watchdog -> watchdog.stop(Duration.ofNanos(Math.max(0, killTime - System.nanoTime()))));
        }
    }

    private Process start(List<String> words, Map<String, String> environment) throws IOException {
        List<String> line = new ArrayList<>();
        if (containment == Containment.GROUP) {
            // It replaces itself by the command, so that the command's process id and exit code are ours to see.
            line.add("setsid");
            line.add("--");
        }
        line.addAll(words);
        ProcessBuilder builder = new ProcessBuilder(line).inheritIO();
        RunEnvironment.fill(builder.environment(), lease(), marker, environment);
        return builder.start();
    }

    private interface EndOfProcess {
        Event event(int code);
    }

    private void watch(Process process, EndOfProcess end) {
        Thread thread = new Thread(
                () -> {
                    try {
                        events.add(end.event(process.waitFor()));
                    } catch (InterruptedException e) {
                        // Nobody interrupts this thread.
                        Thread.currentThread().interrupt();
                    }
                },
                "holdfast-process-" + process.pid());
        thread.setDaemon(true);
        thread.start();
    }

    private Lease lease() {
        if (lease == null) {
            throw new IllegalStateException("not running");
        }
        return lease;
    }

    private Watchdog watchdog() {
        if (watchdog == null) {
            throw new IllegalStateException("not running");
        }
        return watchdog;
    }
}
