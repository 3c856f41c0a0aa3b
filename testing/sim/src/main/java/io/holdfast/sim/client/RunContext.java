package io.holdfast.sim.client;

import io.holdfast.sim.check.ClientObserver;
import io.holdfast.sim.check.GrantLedger;
import io.holdfast.sim.check.GuardedCounters;
import io.holdfast.sim.plan.PlantedBug;
import io.holdfast.sim.plan.SeedPlan;
import io.holdfast.sim.store.LockServer;
import io.holdfast.sim.world.World;
import java.util.SplittableRandom;

/** The parts of one run that all its clients use. */
public final class RunContext {
    private final World world;
    private final SeedPlan plan;
    private final PlantedBug planted;
    private final Network network;
    private final LockServer server;
    private final GrantLedger ledger;
    private final ClientObserver observer;
    private final GuardedCounters counters;
    private final SplittableRandom random;
    private boolean draining;

    public RunContext(
            World world,
            SeedPlan plan,
            PlantedBug planted,
            Network network,
            LockServer server,
            GrantLedger ledger,
            ClientObserver observer,
            GuardedCounters counters,
            SplittableRandom random) {
        this.world = world;
        this.plan = plan;
        this.planted = planted;
        this.network = network;
        this.server = server;
        this.ledger = ledger;
        this.observer = observer;
        this.counters = counters;
        this.random = random;
    }

    public World world() {
        return world;
    }

    public SeedPlan plan() {
        return plan;
    }

    public PlantedBug planted() {
        return planted;
    }

    public Network network() {
        return network;
    }

    public LockServer server() {
        return server;
    }

    public GrantLedger ledger() {
        return ledger;
    }

    public ClientObserver observer() {
        return observer;
    }

    public GuardedCounters counters() {
        return counters;
    }

    public SplittableRandom random() {
        return random;
    }

    /** Whether no new work begins any more. */
    public boolean isDraining() {
        return draining;
    }

    public void drain() {
        draining = true;
        network.heal();
    }

    /** Whether a store that is away refuses connections at once, instead of saying nothing. */
    public boolean refusesConnections() {
        return random.nextBoolean();
    }
}
