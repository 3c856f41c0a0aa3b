package io.holdfast.etcd;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The etcd leases of this client: one per TTL in whole seconds, which is what etcd counts in, and one per TTL and
 * lock-delay for those who announce one.
 */
final class Sessions {
    /** Half of etcd's check interval and its proposal; a lock-delay must not end before the claim it is about. */
    private static final long SHADOW_SECONDS = 1;

    /** Ours end as soon as etcd can: its own minimum is one and a half election timeouts. */
    static final long SHORTEST_SECONDS = 2;

    private record Kind(long ttlSeconds, long delaySeconds) {}

    private final EtcdWire wire;
    private final Clock clock;
    private final EtcdSession.Listener listener;
    private final long ioNanos;
    private final ConcurrentMap<Kind, CompletableFuture<EtcdSession>> live = new ConcurrentHashMap<>();

    Sessions(EtcdWire wire, Clock clock, EtcdSession.Listener listener, long ioNanos) {
        this.wire = wire;
        this.clock = clock;
        this.listener = listener;
        this.ioNanos = ioNanos;
    }

    /** The lease for claims with this TTL; asks for one if there is none. */
    CompletableFuture<EtcdSession> of(Duration ttl) {
        return of(new Kind(seconds(ttl), 0));
    }

    /** The lease for the lock-delays of claims with this TTL, which outlasts theirs by the delay. */
    CompletableFuture<EtcdSession> shadowOf(EtcdSession session, Duration ttl, Duration delay) {
        return of(new Kind(seconds(ttl), seconds(delay))).thenApply(shadow -> {
            session.shadowedBy(shadow);
            return shadow;
        });
    }

    void forget(EtcdSession session) {
        live.values().removeIf(each -> each.isDone() && !each.isCompletedExceptionally() && each.join() == session);
    }

    List<EtcdSession> all() {
        return live.values().stream()
                .filter(each -> each.isDone() && !each.isCompletedExceptionally())
                .map(CompletableFuture::join)
                .toList();
    }

    private CompletableFuture<EtcdSession> of(Kind kind) {
        CompletableFuture<EtcdSession> known = live.get(kind);
        if (known != null) {
            return known;
        }
        CompletableFuture<EtcdSession> fresh = new CompletableFuture<>();
        CompletableFuture<EtcdSession> other = live.putIfAbsent(kind, fresh);
        if (other != null) {
            return other;
        }
        long length = kind.delaySeconds == 0 ? kind.ttlSeconds : kind.ttlSeconds + kind.delaySeconds + SHADOW_SECONDS;
        long sent = clock.nanos();
        wire.grant(length, ioNanos).whenComplete((granted, failure) -> {
            if (failure != null) {
                live.remove(kind, fresh);
                fresh.completeExceptionally(Failures.unwrapped(failure));
                return;
            }
            EtcdSession session =
                    new EtcdSession(wire, clock, listener, granted.getID(), sent, granted.getTTL(), ioNanos);
            session.start();
            fresh.complete(session);
        });
        return fresh;
    }

    private static long seconds(Duration length) {
        long rounded = length.toNanosPart() == 0 ? length.toSeconds() : length.toSeconds() + 1;
        return Math.max(SHORTEST_SECONDS, rounded);
    }
}
