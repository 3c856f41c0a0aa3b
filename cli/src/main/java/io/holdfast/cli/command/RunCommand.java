package io.holdfast.cli.command;

import io.holdfast.DistributedLock;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.HoldfastListener;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.LockStatus;
import io.holdfast.LockTimeoutException;
import io.holdfast.Mode;
import io.holdfast.ReleaseOutcome;
import io.holdfast.cli.input.Arguments;
import io.holdfast.cli.input.Executables;
import io.holdfast.cli.input.ExitCode;
import io.holdfast.cli.input.Names;
import io.holdfast.cli.input.Syntax;
import io.holdfast.cli.input.UsageException;
import io.holdfast.cli.output.DurationText;
import io.holdfast.cli.output.Source;
import io.holdfast.cli.output.Terminal;
import io.holdfast.cli.store.StoreOptions;
import io.holdfast.cli.store.StoreWarnings;
import io.holdfast.cli.supervise.Containment;
import io.holdfast.cli.supervise.Ending;
import io.holdfast.cli.supervise.OuterRuns;
import io.holdfast.cli.supervise.Signals;
import io.holdfast.cli.supervise.StopTimes;
import io.holdfast.cli.supervise.Supervisor;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** {@code run NAME -- command…}: runs a command while holding a lock. */
public final class RunCommand implements Command {
    private static final Duration DEFAULT_WAIT = Duration.ofSeconds(10);

    @Override
    public Syntax syntax() {
        Syntax syntax = Syntax.command(
                        "run",
                        "run NAME [OPTIONS] -- COMMAND [ARGUMENT…]",
                        "Runs COMMAND while holding the lock NAME, and ends with its exit code. No shell is in between."
                                + " The command finds HOLDFAST_LOCK, HOLDFAST_TOKEN and HOLDFAST_SEQUENCER in its"
                                + " environment. If the lease cannot be kept, the command and its processes are stopped"
                                + " before the lease ends, also when holdfast itself is killed.",
                        "  holdfast run nightly-report -- ./report.sh",
                        "  holdfast run nightly-report --wait 0s -- ./report.sh     # exit code 75 if it is held",
                        "  holdfast run deploy --wait 15m --ttl 1m --label \"$USER\" -- make deploy",
                        "  holdfast run cache --shared -- ./read-cache.sh           # readers together, writers alone",
                        "  holdfast run stock --store redis://cache:6379 -- sh -c 'holdfast admit stock && ./take.sh'",
                        "",
                        "Exit codes: the command's own; 75 lock not obtained; 76 lease lost, command stopped; 69 store",
                        "unavailable; 2 bad input; 127 command not found; 126 command not executable; 128+n signal n.")
                .argument("NAME", true, "The lock: 1 to 512 characters.")
                .option("--wait", "DURATION", "The longest to wait for the lock (10s); 0s tries once.")
                .option(
                        "--ttl",
                        "DURATION",
                        "How long the store keeps the lock if this process dies (30s); the lease is renewed meanwhile.")
                .flag("--shared", "Takes the lock in shared mode.")
                .option(
                        "--lock-delay",
                        "DURATION",
                        "How long the lock stays closed to everyone if the lease ends without a release (0s).")
                .option(
                        "--label",
                        "TEXT",
                        "What this is, for people; shown beside host and pid (the user and the first word of COMMAND).")
                .option(
                        "--grace",
                        "DURATION",
                        "How long the command has between TERM and KILL when the lease cannot be kept"
                                + " (a sixth of the TTL, at most 10s).")
                .flag("--quiet", "Says nothing while it waits, and does not pass warnings of the store on.");
        return StoreOptions.addTo(syntax).finish();
    }

    @Override
    public int run(Request request) throws Exception {
        Arguments arguments = request.arguments();
        String name = Names.check(request.argument());
        LockOptions options = options(arguments, request.words());
        StopTimes times = times(arguments, options.ttl().orElse(StoreOptions.DEFAULT_TTL));
        StoreOptions store = StoreOptions.of(arguments);
        if (request.words().isEmpty()) {
            throw new UsageException("no command to run under lock '" + name
                    + "': write it after --, as in: holdfast run " + name + " -- ./job.sh");
        }
        if (store.isPrivate()) {
            throw new UsageException("--store memory: is the memory of this process, so that the lock would exclude no"
                    + " other command: leave it out, or give a store that others see (holdfast stores)");
        }
        Executables.check(request.words());
        Executables.require("sh", "setsid", "timeout", "dd", "grep", "awk", "sleep");

        Terminal terminal = request.terminal();
        Supervisor supervisor = new Supervisor(times, Containment.here(), terminal::warn);
        Interruption interruption = new Interruption(supervisor);
        boolean quiet = request.flag("--quiet");
        WaitingListener ear = new WaitingListener(supervisor, quiet ? null : terminal, options, store.source());
        Holdfast holdfast = StoreWarnings.during(
                () -> store.builder().listener(ear).open(), quiet ? warning -> {} : terminal::warn);
        boolean close = true;
        try {
            Signals.listen(interruption::signalled);
            boolean shared = request.flag("--shared");
            Optional<Holder> outer = outerRun(holdfast, name, shared);
            if (outer.isPresent()) {
                terminal.warn("lock '" + name + "' is held by the holdfast run that this command is part of ("
                        + outer.get().label() + "), which ends only after this one: take another name, or leave one of"
                        + " the two runs out");
                return ExitCode.NOT_OBTAINED;
            }
            DistributedLock lock = shared ? holdfast.readWriteLock(name).readLock() : holdfast.mutex(name);
            Optional<Lease> lease = interruption.acquire(lock, options);
            if (lease.isEmpty()) {
                return interruption.exitCode();
            }
            if (!isWhole(lease.get(), times)) {
                lease.get().release();
                terminal.warn("the lease of '" + name + "' was lost before the command was started, which was not run");
                return ExitCode.LEASE_LOST;
            }
            int code = runUnder(lease.get(), supervisor, request, store, () -> isStillClosed(holdfast, lease.get()));
            // To close the client would release the lease. The caller ends this process, and with it the renewal.
            close = supervisor.survivors().isEmpty();
            return code;
        } catch (LockTimeoutException e) {
            String message = String.valueOf(e.getMessage());
            terminal.warn(message + (message.contains("held by") ? "" : ear.heldBy()));
            terminal.trace(e);
            return ExitCode.NOT_OBTAINED;
        } finally {
            if (close) {
                holdfast.close();
            }
        }
    }

    /** Whether the store keeps the lock closed for this lease, which was revoked, until its end. */
    private static boolean isStillClosed(Holdfast holdfast, Lease lease) {
        try {
            return holdfast.inspect(lease.lockName()).stream()
                    .filter(LockStatus::revoked)
                    .flatMap(status -> status.holders().stream())
                    .anyMatch(holder -> holder.covers(lease.token()));
        } catch (HoldfastException e) {
            return false;
        }
    }

    /**
     * Waits until enough is left of the lease to start something under it; false if it was lost. A lock that was handed
     * on by a queue is granted for two seconds only, until its first renewal is answered a moment later.
     */
    private static boolean isWhole(Lease lease, StopTimes times) throws InterruptedException {
        while (times.untilTerm(lease.remaining()).isZero()) {
            if (lease.state() == LeaseState.LOST) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(2);
        }
        return true;
    }

    private static int runUnder(
            Lease lease, Supervisor supervisor, Request request, StoreOptions store, BooleanSupplier stillClosed)
            throws InterruptedException {
        Terminal terminal = request.terminal();
        Ending ending;
        ReleaseOutcome outcome = ReleaseOutcome.UNKNOWN;
        try {
            ending = supervisor.run(lease, request.words(), store.environment(), stillClosed);
        } catch (IOException e) {
            terminal.warn("cannot start '" + request.words().get(0) + "': " + e.getMessage());
            terminal.trace(e);
            ending = new Ending(ExitCode.NOT_EXECUTABLE, false);
        } finally {
            if (supervisor.survivors().isEmpty()) {
                outcome = lease.release();
            } else {
                terminal.warn("these processes of the command cannot be stopped: " + supervisor.survivors() + "; so '"
                        + lease.lockName() + "' is not released, and opens when its TTL ends");
            }
        }
        if (!supervisor.survivors().isEmpty()) {
            return ending.leaseEnded() ? ExitCode.LEASE_LOST : ending.exitCode();
        }
        if (ending.leaseEnded() || outcome == ReleaseOutcome.EXPIRED || outcome == ReleaseOutcome.TAKEN) {
            terminal.warn("the lease of '" + lease.lockName() + "' did not outlast the command, which ended with "
                    + ending.exitCode()
                    + ": another holder may have had the lock meanwhile, or may get it at any moment");
            return ExitCode.LEASE_LOST;
        }
        if (outcome == ReleaseOutcome.UNKNOWN) {
            terminal.warn("the store did not confirm the release of '" + lease.lockName()
                    + "': it opens when its TTL ends, at the latest");
        }
        return ending.exitCode();
    }

    /** A run around this one that keeps the lock from it: to wait for that one would be to wait for this one. */
    private static Optional<Holder> outerRun(Holdfast holdfast, String name, boolean shared) {
        if (!OuterRuns.exist()) {
            return Optional.empty();
        }
        return holdfast.inspect(name).stream()
                .flatMap(status -> status.holders().stream())
                .filter(holder -> !shared || holder.mode() != Mode.SHARED)
                .filter(OuterRuns::include)
                .findFirst();
    }

    private static LockOptions options(Arguments arguments, List<String> words) {
        Duration wait = arguments.duration("--wait", Duration.ZERO).orElse(DEFAULT_WAIT);
        Duration ttl = arguments.duration("--ttl", StopTimes.SHORTEST_TTL).orElse(StoreOptions.DEFAULT_TTL);
        LockOptions options = LockOptions.waitUpTo(wait).ttl(ttl).handoffs(0);
        Optional<Duration> delay = arguments.duration("--lock-delay", Duration.ZERO);
        if (delay.isPresent()) {
            options = options.lockDelay(delay.get());
        }
        Optional<String> label = arguments.value("--label");
        if (label.isEmpty() && words.isEmpty()) {
            return options;
        }
        return options.label(label.orElseGet(() -> RunLabel.of(words)));
    }

    private static StopTimes times(Arguments arguments, Duration ttl) {
        StopTimes usual = StopTimes.of(ttl);
        Optional<Duration> grace = arguments.duration("--grace", Duration.ZERO);
        if (grace.isEmpty()) {
            return usual;
        }
        Duration longest = StopTimes.longestGrace(ttl);
        if (grace.get().compareTo(longest) > 0) {
            throw new UsageException("--grace " + DurationText.of(grace.get()) + ": at most a third of the TTL ("
                    + DurationText.of(longest) + "); raise --ttl");
        }
        return usual.withGrace(grace.get());
    }

    /** Hears renewals for the supervisor, and the first refusal to tell it. */
    private static final class WaitingListener implements HoldfastListener {
        private final Supervisor supervisor;
        private final @Nullable Terminal terminal;
        private final LockOptions options;
        private final Source source;
        private boolean told;
        private String refusedBy = "";

        WaitingListener(Supervisor supervisor, @Nullable Terminal terminal, LockOptions options, Source source) {
            this.source = source;
            this.supervisor = supervisor;
            this.terminal = terminal;
            this.options = options;
        }

        @Override
        public void onRenewed(Lease lease, Duration remaining) {
            supervisor.renewed();
        }

        @Override
        public synchronized void onRefused(String lockName, Mode mode, String heldBy) {
            refusedBy = heldBy;
            Duration wait = options.waitFor().orElse(DEFAULT_WAIT);
            if (!told && terminal != null && !wait.isZero()) {
                told = true;
                terminal.warn("waiting up to " + DurationText.of(wait) + " for '" + lockName + "'" + heldBy() + ", in "
                        + source);
            }
        }

        synchronized String heldBy() {
            return refusedBy.isEmpty() ? "" : ", held by " + refusedBy;
        }
    }
}
