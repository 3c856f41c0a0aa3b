package io.holdfast.engine;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The queues that went idle last, so that a lock that is taken again and again by one thread does not make a queue each
 * time. A fixed number of them: memory does not grow with the names a client has used.
 */
final class IdleQueues {
    private static final int SLOTS = 64;

    private final AtomicReferenceArray<@Nullable NameQueue> slots = new AtomicReferenceArray<>(SLOTS);

    void keep(NameQueue queue) {
        slots.setRelease(slot(queue.name), queue);
    }

    /** A queue of this name that was idle; it may be in use again by now. */
    @Nullable
    NameQueue find(String name) {
        NameQueue found = slots.getAcquire(slot(name));
        return found != null && found.name.equals(name) ? found : null;
    }

    private static int slot(String name) {
        int hash = name.hashCode();
        return (hash ^ hash >>> 16) & (SLOTS - 1);
    }
}
