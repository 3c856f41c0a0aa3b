package io.holdfast;

import java.time.Duration;

/**
 * Hears what happens to locks. Every method has an empty body; override what you need. Called on the thread where it
 * happens, which may be a store's: be quick and do not block. An exception is logged and changes nothing. Nothing is
 * built or called when no listener is registered.
 */
public interface HoldfastListener {
    /** A request goes to the store. */
    default void onAttempt(String lockName, Mode mode) {}

    /** The store refused; {@code heldBy} may be empty. */
    default void onRefused(String lockName, Mode mode, String heldBy) {}

    /** A lock was granted by the store after {@code waited}. */
    default void onGranted(Lease lease, Duration waited) {}

    /** A lock passed from one thread of this client to another without the store. */
    default void onHandedOff(Lease lease, Duration waited) {}

    /** A renewal was answered; the lease is valid for {@code remaining}. */
    default void onRenewed(Lease lease, Duration remaining) {}

    /** A renewal was sent later than planned by {@code by}: the process was paused or starved. */
    default void onLate(Lease lease, Duration by) {}

    /** Renewal is failing. */
    default void onJeopardy(Lease lease, Duration remaining) {}

    /** A lease was lost. */
    default void onLost(Lease lease, Loss loss) {}

    /** A lease was released, after having been held for {@code held}. */
    default void onReleased(Lease lease, ReleaseOutcome outcome, Duration held) {}
}
