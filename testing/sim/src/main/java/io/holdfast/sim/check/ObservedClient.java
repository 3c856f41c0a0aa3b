package io.holdfast.sim.check;

import io.holdfast.sim.world.Machine;
import io.holdfast.spi.Claim;
import java.time.Duration;
import java.util.List;

/** What the checks see of a client. */
public interface ObservedClient {
    String name();

    Machine machine();

    List<? extends ObservedTask> tasks();

    Duration ioTimeout();

    /** When a fault met this client last. */
    long disturbedAt();

    /** Whether it is being closed. */
    boolean isClosing();

    /** Whether the engine waits for an answer about this claim. */
    boolean awaits(Claim claim);
}
