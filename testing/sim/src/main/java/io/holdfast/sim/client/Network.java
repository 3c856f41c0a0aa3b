package io.holdfast.sim.client;

import io.holdfast.sim.plan.Fault;
import io.holdfast.sim.plan.SeedPlan;
import io.holdfast.sim.world.World;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Carries messages between machines and the store, and loses, delays and doubles them. Every message has its own delay,
 * so later ones overtake earlier ones.
 */
public final class Network {
    /** What is done at the store; {@code duplicate} is true for a second copy of the same request. */
    public interface Delivery {
        void run(boolean duplicate);
    }

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final World world;
    private final SeedPlan plan;
    private final FaultLog faults;
    private final SplittableRandom random;
    private boolean healthy;

    public Network(World world, SeedPlan plan, FaultLog faults, SplittableRandom random) {
        this.world = world;
        this.plan = plan;
        this.faults = faults;
        this.random = random;
    }

    /** From now on nothing goes wrong any more. */
    public void heal() {
        healthy = true;
    }

    /** To the store. */
    public void request(Client from, String what, Delivery delivery) {
        if (from.isCut() || hits(Fault.LOST_REQUEST, from)) {
            world.note(from.name(), what + " is lost");
            return;
        }
        world.post(null, travel(from), what, () -> delivery.run(false));
        if (hits(Fault.DUPLICATED, from)) {
            world.post(null, travel(from) + random.nextLong(4 * SECOND), what + " again", () -> delivery.run(true));
        }
    }

    /** From the store. */
    public void reply(Client to, String what, Runnable delivery) {
        if (to.isCut() || hits(Fault.LOST_REPLY, to)) {
            world.note(to.name(), what + " is lost");
            return;
        }
        world.post(to.machine(), travel(to), what, delivery);
    }

    private long travel(Client client) {
        if (hits(Fault.DELAYED, client)) {
            return random.nextLong(random.nextInt(4) == 0 ? 3 * SECOND : SECOND / 4);
        }
        return 50_000 + random.nextLong(random.nextInt(10) == 0 ? 10_000_000 : 1_000_000);
    }

    private boolean hits(Fault fault, Client client) {
        if (healthy || !plan.faults.contains(fault) || random.nextInt(1000) >= plan.messageFaultsPerMille) {
            return false;
        }
        faults.happened(fault, client);
        return true;
    }
}
