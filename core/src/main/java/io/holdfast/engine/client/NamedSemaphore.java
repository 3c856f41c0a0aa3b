package io.holdfast.engine.client;

import io.holdfast.DistributedSemaphore;
import io.holdfast.LockOptions;
import io.holdfast.Mode;
import io.holdfast.engine.lease.Request;
import io.holdfast.engine.queue.QueueRunner;

/** Permits under one name. */
final class NamedSemaphore extends Acquirer implements DistributedSemaphore {
    NamedSemaphore(HoldfastClient client, String name, int permits) {
        super(client, name, Mode.PERMIT, permits);
    }

    /**
     * A number that differs from that of the permits in use here is a mistake of this program. What other clients use is
     * not in the records of most stores.
     */
    @Override
    Request request(LockOptions options) {
        QueueRunner queue = client.queues().inUse(name());
        int others = queue == null ? permits() : queue.permitsInUse(permits());
        if (others != permits()) {
            throw new IllegalStateException("semaphore '" + name() + "' has " + others
                    + " permits where this client uses it now, and was asked for as one of " + permits()
                    + ": use the same number everywhere");
        }
        return super.request(options);
    }

    @Override
    public String toString() {
        return "DistributedSemaphore[" + name() + ", " + permits() + " permits, " + client.store() + "]";
    }
}
