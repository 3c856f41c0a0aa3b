package io.holdfast.cli.supervise;

import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import io.holdfast.cli.output.DurationText;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One command under one lease.
 *
 * <p>One thread decides and acts, in the order of a queue of {@link Event}s. It goes from <em>running</em> to
 * <em>tidying</em> (the command has ended, what it left in its session is stopped) or to <em>stopping</em> (everything
 * of the run is stopped, because of the lease), and never back. The {@link Watchdog} does the stopping if this process
 * cannot.
 *
 * <ul>
 *   <li>I1 While running, a watchdog knows the end of the lease as of the last answered renewal.
 *   <li>I2 The command gets TERM at the latest {@code grace + margin} and KILL at the latest {@code margin} before the
 *       end of the lease, counted on this machine's clock from before the renewal was sent; KILL earlier by what a look
 *       for its processes takes.
 *   <li>I3 A lease that is gone leaves the command {@link #AFTER_LOSS} to end. If the store says that the lock stays
 *       closed until the end that was known before (it was revoked, not opened), the command has until then.
 *   <li>I4 The lock may be released when the command and what it left in its session have ended. If that cannot be
 *       brought about, {@link #survivors} says so.
 * </ul>
 */
final class Supervision {
    private static final Duration AFTER_LOSS = Duration.ofSeconds(1);
    private static final Duration TIDYING = Duration.ofSeconds(2);
    /** How long KILL is repeated for processes that do not end. */
    private static final Duration AFTER_KILL = Duration.ofSeconds(10);

    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(40);
    private static final long VERDICT_MILLIS = 5000;
    private static final int MOST_WATCHDOGS_LOST = 3;
    private static final int KILLED = 137;

    private enum Phase {
        RUNNING,
        TIDYING,
        STOPPING,
        ENDED
    }

    private final Lease lease;
    private final StopTimes times;
    private final Containment containment;
    private final Consumer<String> warn;
    private final BlockingQueue<Event> events;
    private final BooleanSupplier stillClosed;
    private final String marker;
    private final CommandProcesses processes;

    private Phase phase = Phase.RUNNING;
    private LeaseEnd leaseEnd;
    private Watchdog watchdog;
    private @Nullable Process command;
    private @Nullable Integer exitCode;
    private long commandStart;
    private long killTime;
    private boolean warned;
    private boolean stopped;
    private int watchdogsLost;

    Supervision(
            Lease lease,
            StopTimes times,
            Containment containment,
            Consumer<String> warn,
            BlockingQueue<Event> events,
            BooleanSupplier stillClosed) {
        this.lease = lease;
        this.times = times;
        this.containment = containment;
        this.warn = warn;
        this.events = events;
        this.stillClosed = stillClosed;
        // No other run has it, now or later: tokens grow, and no two processes have one id at one time.
        marker = OuterRuns.marker(ProcessHandle.current().pid(), lease.token());
        processes = new CommandProcesses(marker, containment);
        leaseEnd = LeaseEnd.of(lease);
        watchdog = startWatchdog();
    }

    Ending run(List<String> words, Map<String, String> environment) throws IOException, InterruptedException {
        try {
            command = start(words, environment);
            commandStart = processes.started(command.pid());
            watchdog.started(command.pid(), commandStart);
            watch(command, code -> new Event.Exited(code));
            lease.onJeopardy(remaining -> events.add(new Event.InJeopardy(remaining)));
            lease.onLost(loss -> events.add(new Event.LeaseLost(loss)));
            return untilTheEnd();
        } finally {
            endNow();
            watchdog.dismiss();
        }
    }

    /** Processes of the run that could not be stopped. */
    List<Long> survivors() {
        List<Long> alive = new ArrayList<>(processes.knownAlive());
        // Also if /proc could not be read, so that nothing is known.
        if (command != null && command.isAlive() && !alive.contains(command.pid())) {
            alive.add(command.pid());
        }
        return alive;
    }

    private Ending untilTheEnd() throws InterruptedException {
        while (phase != Phase.ENDED) {
            @Nullable Event event = events.poll(nanosUntilNextStep(), TimeUnit.NANOSECONDS);
            if (event != null) {
                handle(event);
            }
            step();
        }
        boolean lost = lease.state() == LeaseState.LOST;
        return new Ending(exitCode == null ? KILLED : exitCode, stopped || lost || watchdogHasStopped());
    }

    private void handle(Event event) throws InterruptedException {
        if (event instanceof Event.Exited exited) {
            exitCode = exited.code();
        } else if (event instanceof Event.Renewed) {
            heartbeat();
        } else if (event instanceof Event.Signalled signalled) {
            pass(signalled.signal());
        } else if (event instanceof Event.InJeopardy jeopardy) {
            warnOfJeopardy(jeopardy.remaining());
        } else if (event instanceof Event.LeaseLost lost) {
            stopAfter(lost.loss());
        } else if (event instanceof Event.StillClosed && phase == Phase.STOPPING) {
            killAfter(times.untilKill(leaseEnd.left()));
        } else if (event instanceof Event.WatchdogGone gone) {
            gone(gone.watchdog());
        }
    }

    private long nanosUntilNextStep() {
        if (phase == Phase.RUNNING) {
            Duration remaining = lease.remaining();
            return (warned ? times.untilTerm(remaining) : times.untilWarning(remaining)).toNanos();
        }
        return Math.max(1, Math.min(NAP_NANOS, nanosUntilKill() > 0 ? nanosUntilKill() : NAP_NANOS));
    }

    /** What has to be done by now. */
    private void step() {
        if (phase == Phase.RUNNING && exitCode != null) {
            tidy();
        }
        if (phase == Phase.RUNNING || phase == Phase.TIDYING) {
            watchTheLease();
        }
        if (phase == Phase.TIDYING || phase == Phase.STOPPING) {
            finish();
        }
    }

    /** The command has ended: stops what it left in its session. */
    private void tidy() {
        if (processes.sessionEnded()) {
            phase = Phase.ENDED;
            return;
        }
        phase = Phase.TIDYING;
        warn.accept("stopping processes that the command had left behind when it ended;"
                + " start with setsid what is meant to outlive the lock");
        Duration untilKill = times.untilKill(leaseEnd.left());
        killTime = System.nanoTime() + (untilKill.compareTo(TIDYING) < 0 ? untilKill : TIDYING).toNanos();
        processes.terminateKnown();
    }

    private void finish() {
        boolean everything = phase == Phase.STOPPING;
        if (exitCode != null && (everything ? processes.allEnded() : processes.sessionEnded())) {
            phase = Phase.ENDED;
        } else if (nanosUntilKill() <= 0) {
            if (everything) {
                processes.kill();
            } else {
                processes.killKnown();
            }
            if (nanosUntilKill() + AFTER_KILL.toNanos() <= 0) {
                phase = Phase.ENDED;
            }
        }
    }

    private long nanosUntilKill() {
        return killTime - System.nanoTime();
    }

    private void watchTheLease() {
        Duration remaining = lease.remaining();
        if (times.untilWarning(remaining).isZero()) {
            warnOfJeopardy(remaining);
        }
        if (times.untilTerm(remaining).isZero()) {
            warn.accept("the lease of '" + lease.lockName() + "' was not renewed and ends in "
                    + DurationText.of(remaining) + ": stopping the command");
            stop(times.untilKill(remaining));
        }
    }

    private void warnOfJeopardy(Duration remaining) {
        if (phase != Phase.STOPPING && !warned) {
            warned = true;
            warn.accept("jeopardy: the store does not renew the lease of '" + lease.lockName() + "', which ends in "
                    + DurationText.of(remaining) + "; the command gets TERM in "
                    + DurationText.of(times.untilTerm(remaining))
                    + " unless that changes");
        }
    }

    private void stopAfter(Loss loss) {
        if (phase == Phase.STOPPING) {
            return;
        }
        warn.accept("the lease of '" + loss.lockName() + "' was lost (" + loss.detail() + "): stopping the command");
        Duration untilKill = times.untilKill(leaseEnd.left());
        stop(untilKill.compareTo(AFTER_LOSS) < 0 ? untilKill : AFTER_LOSS);
        if (loss.reason() == LossReason.REVOKED) {
            inBackground("holdfast-revoked", () -> {
                if (stillClosed.getAsBoolean()) {
                    events.add(new Event.StillClosed());
                }
            });
        }
    }

    private void stop(Duration untilKill) {
        phase = Phase.STOPPING;
        stopped = true;
        long start = System.nanoTime();
        processes.terminate();
        killAfter(untilKill.minusNanos(System.nanoTime() - start));
    }

    /** Sets the time of KILL: earlier than told by what a look for the processes takes. */
    private void killAfter(Duration told) {
        Duration untilKill = told.minus(processes.longestLook());
        killTime = System.nanoTime() + untilKill.toNanos();
        long uptime = Uptime.after(Uptime.now(), untilKill);
        replaceWatchdog(() -> Watchdog.startForKill(prey(), uptime, killTime));
    }

    private void pass(Signals signal) {
        // In a terminal's foreground the kernel gives Ctrl-C to the command as well as to us: once is enough.
        if (containment == Containment.GROUP || signal != Signals.INT) {
            processes.pass(signal.name());
        }
    }

    private void heartbeat() {
        LeaseEnd renewed = LeaseEnd.of(lease);
        if (renewed.remaining().isZero() || phase == Phase.STOPPING) {
            return;
        }
        if (watchdog.isDue()) {
            warn.accept("this process stood still until the lease of '" + lease.lockName()
                    + "' was about to end: stopping the command");
            stop(times.untilKill(leaseEnd.left()));
            return;
        }
        leaseEnd = renewed;
        warned = false;
        watchdogsLost = 0;
        replaceWatchdog(this::startWatchdog);
    }

    private Watchdog.Prey prey() {
        return new Watchdog.Prey(marker, containment, command == null ? 0 : command.pid(), commandStart);
    }

    /** It sends TERM a little later than this process would, so that the command gets one. */
    private Watchdog startWatchdog() {
        Duration remaining = leaseEnd.remaining();
        Duration untilTerm = times.untilTerm(remaining).plus(times.grace().dividedBy(4));
        Watchdog started = Watchdog.start(
                prey(),
                leaseEnd.uptimeAfter(untilTerm),
                leaseEnd.uptimeAfter(times.untilKill(remaining)),
                leaseEnd.nanos() + untilTerm.toNanos());
        watch(started.process(), code -> new Event.WatchdogGone(started));
        return started;
    }

    private interface Starter {
        Watchdog start();
    }

    private void replaceWatchdog(Starter starter) {
        try {
            Watchdog before = watchdog;
            watchdog = starter.start();
            before.dismiss();
        } catch (UnsupportedSystemException e) {
            // No process can be started now. The old one is early, which is safe; the next renewal tries again.
            warn.accept(e.getMessage() + "; the command will be stopped early unless that changes");
        }
    }

    private void gone(Watchdog ended) throws InterruptedException {
        if (ended.hasStopped(0)) {
            if (phase != Phase.STOPPING) {
                phase = Phase.STOPPING;
                stopped = true;
                killTime = System.nanoTime();
                warn.accept("this process stood still until the lease of '" + lease.lockName()
                        + "' was about to end: the watchdog has stopped the command");
            }
        } else if (ended == watchdog && phase != Phase.STOPPING) {
            watchdogsLost++;
            if (watchdogsLost > MOST_WATCHDOGS_LOST) {
                throw new UnsupportedSystemException(
                        "the watchdog ends again and again: is something killing it?", null);
            }
            warn.accept("the watchdog has ended and is started again");
            watchdog = startWatchdog();
        }
    }

    private boolean watchdogHasStopped() throws InterruptedException {
        boolean due = watchdog.isDue();
        watchdog.dismiss();
        return due && watchdog.hasStopped(VERDICT_MILLIS);
    }

    /** If something went wrong here: nothing of the command may outlive the lock (I4). */
    private void endNow() {
        if (phase == Phase.ENDED || command == null) {
            return;
        }
        boolean interrupted = Thread.interrupted();
        processes.terminate();
        long start = System.nanoTime();
        while (!processes.allEnded()
                && System.nanoTime() - start < AFTER_LOSS.plus(AFTER_KILL).toNanos()) {
            if (System.nanoTime() - start >= AFTER_LOSS.toNanos()) {
                processes.kill();
            }
            try {
                TimeUnit.NANOSECONDS.sleep(NAP_NANOS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
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
        RunEnvironment.fill(builder.environment(), lease, marker, environment);
        return builder.start();
    }

    private void watch(Process process, IntFunction<Event> end) {
        inBackground("holdfast-process-" + process.pid(), () -> {
            try {
                events.add(end.apply(process.waitFor()));
            } catch (InterruptedException e) {
                // This thread is never interrupted.
                Thread.currentThread().interrupt();
            }
        });
    }

    private static void inBackground(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }
}
