package io.holdfast.sim;

import java.util.SplittableRandom;

/** What the clients of one run share. */
final class Site {
    private final World world;
    private final Plan plan;
    private final Planted planted;
    private final Network network;
    private final LockServer server;
    private final Ledger ledger;
    private final Overseer overseer;
    private final Register register;
    private final SplittableRandom random;
    private boolean draining;

    Site(
            World world,
            Plan plan,
            Planted planted,
            Network network,
            LockServer server,
            Ledger ledger,
            Overseer overseer,
            Register register,
            SplittableRandom random) {
        this.world = world;
        this.plan = plan;
        this.planted = planted;
        this.network = network;
        this.server = server;
        this.ledger = ledger;
        this.overseer = overseer;
        this.register = register;
        this.random = random;
    }

    World world() {
        return world;
    }

    Plan plan() {
        return plan;
    }

    Planted planted() {
        return planted;
    }

    Network network() {
        return network;
    }

    LockServer server() {
        return server;
    }

    Ledger ledger() {
        return ledger;
    }

    Overseer overseer() {
        return overseer;
    }

    Register register() {
        return register;
    }

    SplittableRandom random() {
        return random;
    }

    /** Whether no new work begins any more. */
    boolean isDraining() {
        return draining;
    }

    void drain() {
        draining = true;
        network.heal();
    }

    /** Whether a store that is away refuses connections at once, instead of saying nothing. */
    boolean refusesConnections() {
        return random.nextBoolean();
    }
}
