package io.holdfast.engine.queue;

import io.holdfast.engine.lease.LeaseHandle;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.function.Consumer;

/**
 * A lease that was lost and not closed. Its thread must not acquire the lock again before it knows of the loss. When the
 * program cannot reach the lease any more, the reference arrives in the reference queue of the client.
 */
final class LostLease extends WeakReference<LeaseHandle> {
    private final Consumer<LostLease> onCollected;

    LostLease(LeaseHandle lease, ReferenceQueue<LeaseHandle> collected, Consumer<LostLease> onCollected) {
        super(lease, collected);
        this.onCollected = onCollected;
    }

    /** The program cannot reach the lease any more. */
    void collected() {
        onCollected.accept(this);
    }
}
