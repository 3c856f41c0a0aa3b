package io.holdfast.engine.queue;

import io.holdfast.engine.lease.LeaseHandle;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/**
 * A lease that was lost and not closed. Its thread must not acquire the lock again before it knows of the loss. When the
 * program cannot reach the lease any more, the reference arrives in the reference queue of the client.
 */
final class LostLease extends WeakReference<LeaseHandle> {
    final QueueRunner runner;

    LostLease(LeaseHandle lease, ReferenceQueue<LeaseHandle> collected, QueueRunner runner) {
        super(lease, collected);
        this.runner = runner;
    }
}
