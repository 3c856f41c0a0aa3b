package io.holdfast.sim.check;

import io.holdfast.sim.plan.LockRequest;
import org.jspecify.annotations.Nullable;

/** What the checks see of a task of a client. */
public interface ObservedTask {
    /** What the task is doing. */
    enum State {
        IDLE,
        WAITING,
        HOLDING,
        RELEASING
    }

    State state();

    /** What it has asked for last. */
    @Nullable
    LockRequest request();

    @Nullable
    HeldLease held();

    /** Whether it waits in the local queue and is not about to leave it. */
    boolean waitsOn();

    /** How often it has had a lock. */
    int turns();

    /** When the present call began, on the client's clock. */
    long since();

    /** The step of the world in which it asked; orders the tasks of a client also when its clock stood still. */
    long askedInStep();

    /** For how long the present call has been under way on the client's clock, stops not counted. */
    long underWayNanos();
}
