package io.holdfast;

import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * The {@link Lock} view: owned by a thread, re-entrant. {@link #lock()} waits without bound. {@link #unlock()} after a
 * loss throws {@link LeaseLostException}, and {@link IllegalMonitorStateException} on a thread that does not hold the
 * lock. Conditions are not offered.
 */
public interface LeaseLock extends Lock {
    /** The lease that the current thread holds through this view. */
    Optional<Lease> currentLease();

    /** Not offered. */
    @Override
    default Condition newCondition() {
        throw new UnsupportedOperationException("a distributed lock has no conditions");
    }
}
