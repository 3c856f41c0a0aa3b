package io.holdfast.engine.queue;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The queues that went idle last. They stay in the client's map, so that a lock that is taken again and again finds its
 * queue there. A queue that is pushed out of its slot leaves the map. The number of slots is fixed: memory does not grow
 * with the names that a client has used.
 */
final class IdleQueues {
    static final int SLOTS = 64;

    private final AtomicReferenceArray<@Nullable QueueRunner> slots = new AtomicReferenceArray<>(SLOTS);

    /**
     * Without any monitor, after the queue was seen idle. Of two queues that meet in a slot the one pushed out is retired,
     * unless it is in use again; then it comes back here when it goes idle.
     */
    void keep(QueueRunner queue) {
        int slot = slot(queue.name());
        if (slots.getAcquire(slot) == queue) {
            return;
        }
        QueueRunner displaced = slots.getAndSet(slot, queue);
        if (displaced != null && displaced != queue) {
            displaced.retire();
        }
    }

    private static int slot(String name) {
        int hash = name.hashCode();
        return (hash ^ hash >>> 16) & (SLOTS - 1);
    }
}
