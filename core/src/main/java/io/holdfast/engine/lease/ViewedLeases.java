package io.holdfast.engine.lease;

import io.holdfast.Lease;
import io.holdfast.Mode;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The leases that a client holds through {@link java.util.concurrent.locks.Lock} views, by thread, name and mode. The
 * client keeps them, so that two views of one lock are the same lock.
 */
public final class ViewedLeases {
    /** The thread that must unlock, and the lock. */
    public record Owner(Thread thread, String lockName, Mode mode) {}

    private final ConcurrentMap<Owner, ArrayDeque<Lease>> leases = new ConcurrentHashMap<>();

    /** Adds the innermost lease of its owner, which is the calling thread. */
    public void push(Owner owner, Lease lease) {
        if (lease instanceof LeaseHandle handle) {
            handle.markViewed();
        }
        leases.computeIfAbsent(owner, key -> new ArrayDeque<>(1)).addLast(lease);
    }

    /** Removes the innermost lease of its owner, which is the calling thread. */
    public @Nullable Lease pop(Owner owner) {
        ArrayDeque<Lease> held = leases.get(owner);
        Lease last = held == null ? null : held.pollLast();
        if (held != null && held.isEmpty()) {
            leases.remove(owner);
        }
        return last;
    }

    /** The innermost lease of its owner, which is the calling thread. */
    public @Nullable Lease peek(Owner owner) {
        ArrayDeque<Lease> held = leases.get(owner);
        return held == null ? null : held.peekLast();
    }

    /** Forgets the leases of threads that have ended without unlocking. */
    void forgetDeadThreads() {
        leases.keySet().removeIf(owner -> !owner.thread().isAlive());
    }
}
