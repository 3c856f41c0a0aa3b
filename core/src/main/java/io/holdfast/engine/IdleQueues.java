package io.holdfast.engine;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The queues that went idle last. They stay in the client's map, so that a lock that is taken again and again finds its
 * queue there; one that is pushed out of its slot leaves the map. A fixed number of slots: memory does not grow with the
 * names a client has used.
 */
final class IdleQueues {
    static final int SLOTS = 64;

    private final AtomicReferenceArray<@Nullable NameQueue> slots = new AtomicReferenceArray<>(SLOTS);

    /**
     * Without any monitor, after the queue was seen idle. Of two that meet in a slot the one pushed out is retired, unless
     * it is in use again; then it comes back here by itself.
     */
    void keep(NameQueue queue) {
        int slot = slot(queue.name);
        if (slots.getAcquire(slot) == queue) {
            return;
        }
        NameQueue displaced = slots.getAndSet(slot, queue);
        if (displaced != null && displaced != queue) {
            displaced.retire();
        }
    }

    private static int slot(String name) {
        int hash = name.hashCode();
        return (hash ^ hash >>> 16) & (SLOTS - 1);
    }
}
