package io.holdfast.sim;

import io.holdfast.sim.check.ClientObserver;
import io.holdfast.sim.check.FairnessChecks;
import io.holdfast.sim.check.GrantLedger;
import io.holdfast.sim.check.GuardedCounters;
import io.holdfast.sim.check.LivenessChecks;
import io.holdfast.sim.check.Rule;
import io.holdfast.sim.check.Rules;
import io.holdfast.sim.check.Violation;
import io.holdfast.sim.client.Client;
import io.holdfast.sim.client.EngineLeftovers;
import io.holdfast.sim.client.FaultLog;
import io.holdfast.sim.client.Network;
import io.holdfast.sim.client.RunContext;
import io.holdfast.sim.client.Task;
import io.holdfast.sim.plan.PlantedBug;
import io.holdfast.sim.plan.SeedPlan;
import io.holdfast.sim.report.FoundViolation;
import io.holdfast.sim.report.Report;
import io.holdfast.sim.store.LockServer;
import io.holdfast.sim.store.ServerBugs;
import io.holdfast.sim.world.Machine;
import io.holdfast.sim.world.World;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * One run: three clients with the real engine, a modelled store, and the faults of one seed. First the active part,
 * of at least {@value #FEWEST_STEPS} steps and {@value #FEWEST_FAULTS} faults; then everything heals, nothing new
 * begins, and the world is run until nothing is left to happen.
 */
public final class Simulation {
    public static final int FEWEST_STEPS = 200;
    public static final int FEWEST_FAULTS = 5;
    private static final int MOST_STEPS = 300_000;
    private static final long LONGEST_QUIETING = TimeUnit.SECONDS.toNanos(60);

    private final long seed;
    private final SplittableRandom random;
    private final SeedPlan plan;
    private final World world;
    private final Rules rules = new Rules();
    private final FaultLog faults;
    private final GrantLedger ledger;
    private final ClientObserver observer;
    private final LockServer server;
    private final LivenessChecks liveness;
    private final RunContext run;
    private final List<Client> clients = new ArrayList<>();
    private final long extraPpm;
    private int born;

    private Simulation(long seed, PlantedBug planted, Function<SplittableRandom, SeedPlan> planned) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
        this.plan = planned.apply(random.split());
        this.world = new World(random.split());
        this.faults = new FaultLog(world, () -> clients);
        this.extraPpm = planted == PlantedBug.SLOW_CLOCK ? -80_000 : 0;
        Machine host = new Machine(world, "store", random.split(), 0);
        this.ledger = new GrantLedger(host, rules);
        this.observer = new ClientObserver(world, rules, ledger, new FairnessChecks(plan, rules));
        ServerBugs bugs = new ServerBugs(planted, random.split());
        this.server = new LockServer(world, host, plan, ledger, bugs, notifications());
        Network network = new Network(world, plan, faults, random.split());
        GuardedCounters counters = new GuardedCounters(ledger, rules, planted);
        this.run = new RunContext(world, plan, planted, network, server, ledger, observer, counters, random.split());
        this.liveness =
                new LivenessChecks(plan, world, rules, ledger, observer, server::grantedToLatecomer, () -> clients);
    }

    /** Runs one seed on a healthy system. */
    public static Report run(long seed) {
        return run(seed, PlantedBug.NOTHING);
    }

    /**
     * Runs one seed.
     *
     * @throws AssertionError if a rule was broken; it names the rule and the seed and shows the last events
     */
    public static Report run(long seed, PlantedBug planted) {
        return run(new Simulation(seed, planted, SeedPlan::new));
    }

    /** Runs clients in a loop without faults, and checks that each of them has its turns (L12). */
    public static Report loop(long seed, PlantedBug planted) {
        return run(new Simulation(seed, planted, SeedPlan::inALoop));
    }

    private static Report run(Simulation simulation) {
        try {
            simulation.run();
            return simulation.report();
        } catch (Violation | IllegalStateException | NullPointerException e) {
            throw simulation.failure(e);
        } finally {
            simulation.world.end();
        }
    }

    public List<Client> clients() {
        return clients;
    }

    public void crash(Client client) {
        client.machine().die();
        clients.remove(client);
        replace();
    }

    public void close(Client client) {
        client.close(() -> {
            if (!client.machine().isDead()) {
                replace();
            }
        });
    }

    private void run() {
        world.check(rules::rethrow);
        world.check(observer::check);
        world.check(liveness::check);
        for (int i = 0; i < plan.clients; i++) {
            join();
        }
        if (!plan.loop) {
            new FaultInjector(this, run, faults, random.split()).next();
        }
        while (world.now() < plan.activeNanos
                || world.steps() < FEWEST_STEPS
                || (!plan.loop && faults.count() < FEWEST_FAULTS)) {
            require(world.step() && world.steps() < MOST_STEPS, "the active part stood still or never ended");
        }
        if (plan.loop) {
            liveness.checkTurns();
        }
        world.note("world", "everything heals");
        run.drain();
        observer.storeDisturbed(world.now());
        long healed = world.now();
        while (world.step()) {
            require(
                    world.steps() < MOST_STEPS && world.now() - healed < LONGEST_QUIETING,
                    "something still happens " + (world.now() - healed) / 1_000_000 + " ms after the end");
        }
        checkQuiet();
        rules.rethrow();
    }

    private void join() {
        String name = "c" + born++;
        Machine machine = new Machine(world, name, random.split(), extraPpm);
        machine.onWake(slept -> observer.resumed(machine, slept));
        Client client = new Client(name, run, faults, machine, random.split());
        clients.add(client);
    }

    private void replace() {
        if (!run.isDraining()) {
            world.post(null, 1 + random.nextLong(plan.thinkNanos), "a client starts", () -> {
                if (!run.isDraining()) {
                    join();
                }
            });
        }
    }

    private Optional<Client> sender(Claim claim) {
        return observer.sender(claim).map(Client.class::cast);
    }

    private LockServer.Notifications notifications() {
        return new LockServer.Notifications() {
            @Override
            public void pushed(Claim claim, Granted granted) {
                sender(claim).ifPresent(client -> client.pushed(claim, granted));
            }

            @Override
            public void dropped(Claim claim) {
                sender(claim).ifPresent(client -> client.dropped(claim));
            }

            @Override
            public void hint(String name) {
                List.copyOf(clients).forEach(client -> client.hint(name));
            }
        };
    }

    private void checkQuiet() {
        for (Client client : clients) {
            for (Task task : client.tasks()) {
                rules.require(
                        Rule.QUIET,
                        task.state() == Task.State.IDLE,
                        () -> client.name() + " still has a task that is " + task.state() + ": " + task.request());
            }
            rules.require(
                    Rule.QUIET,
                    client.machine().liveTimers() == 0 && client.leftOpen() == 0,
                    () -> client.name() + " has " + client.machine().liveTimers() + " timers and " + client.leftOpen()
                            + " tickets or watches left");
            String left = EngineLeftovers.leftIn(client.holdfast());
            rules.require(Rule.QUIET, left.isEmpty(), () -> client.name() + " keeps " + left);
        }
        for (GrantLedger.Entry entry : ledger.live()) {
            rules.require(Rule.P5_NOTHING_LEFT, liveness.isExcused(entry), () -> "left at the store: " + entry);
        }
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            rules.fail(Rule.QUIET, otherwise);
        }
    }

    private Report report() {
        faults.table().take(rules);
        return new Report(seed, world.trace().hash(), world.steps(), faults.count(), faults.table());
    }

    private FoundViolation failure(Throwable cause) {
        Rule rule = cause instanceof Violation violation ? violation.rule() : Rule.CALLBACK;
        return new FoundViolation(
                seed,
                rule,
                "seed " + seed + " breaks " + cause.getMessage() + System.lineSeparator() + "plan: " + plan
                        + System.lineSeparator() + world.trace().tail() + "seed " + seed + " breaks "
                        + cause.getMessage(),
                cause);
    }
}
