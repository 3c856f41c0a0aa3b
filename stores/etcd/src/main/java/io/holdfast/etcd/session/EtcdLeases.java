package io.holdfast.etcd.session;

import io.holdfast.etcd.client.EtcdCalls;
import io.holdfast.etcd.client.Failures;
import io.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The etcd leases of this client: one per TTL, rounded up to the whole seconds that etcd counts in, and one per TTL and
 * lock-delay for the lock-delays that holders announce.
 */
public final class EtcdLeases {
    /** Half of etcd's check interval and its proposal; a lock-delay must not end before the claim that it is about. */
    private static final long DELAY_MARGIN_SECONDS = 1;

    /** etcd grants no shorter lease: its minimum is one and a half election timeouts. */
    private static final long SHORTEST_SECONDS = 2;

    private record Kind(long ttlSeconds, long delaySeconds) {}

    private final EtcdCalls calls;
    private final StoreContext context;
    private final EtcdLease.Listener listener;
    private final ConcurrentMap<Kind, CompletableFuture<EtcdLease>> live = new ConcurrentHashMap<>();

    /** No lease yet; {@code listener} is told what becomes of each. */
    public EtcdLeases(EtcdCalls calls, StoreContext context, EtcdLease.Listener listener) {
        this.calls = calls;
        this.context = context;
        this.listener = listener;
    }

    /** The lease for claims with this TTL; asks etcd for one if there is none. */
    public CompletableFuture<EtcdLease> forClaims(Duration ttl) {
        return of(new Kind(seconds(ttl), 0));
    }

    /** The lease for lock-delays of claims on {@code lease}, which outlasts that lease by the delay. */
    public CompletableFuture<EtcdLease> forDelays(EtcdLease lease, Duration ttl, Duration delay) {
        return of(new Kind(seconds(ttl), seconds(delay))).thenApply(delayLease -> {
            lease.outlivedBy(delayLease);
            return delayLease;
        });
    }

    /** This lease is not used for further claims. */
    public void forget(EtcdLease lease) {
        live.values().removeIf(each -> each.isDone() && !each.isCompletedExceptionally() && each.join() == lease);
    }

    /** The leases that etcd has granted. */
    public List<EtcdLease> all() {
        return live.values().stream()
                .filter(each -> each.isDone() && !each.isCompletedExceptionally())
                .map(CompletableFuture::join)
                .toList();
    }

    private CompletableFuture<EtcdLease> of(Kind kind) {
        CompletableFuture<EtcdLease> known = live.get(kind);
        if (known != null) {
            return known;
        }
        CompletableFuture<EtcdLease> fresh = new CompletableFuture<>();
        CompletableFuture<EtcdLease> other = live.putIfAbsent(kind, fresh);
        if (other != null) {
            return other;
        }
        long length =
                kind.delaySeconds == 0 ? kind.ttlSeconds : kind.ttlSeconds + kind.delaySeconds + DELAY_MARGIN_SECONDS;
        long sent = context.ticker().nanos();
        calls.grant(length, calls.deadline()).whenComplete((granted, failure) -> {
            if (failure != null) {
                live.remove(kind, fresh);
                fresh.completeExceptionally(Failures.unwrapped(failure));
                return;
            }
            EtcdLease lease = new EtcdLease(calls, context, listener, granted.getID(), sent, granted.getTTL());
            lease.start();
            fresh.complete(lease);
        });
        return fresh;
    }

    private static long seconds(Duration length) {
        long rounded = length.toNanosPart() == 0 ? length.toSeconds() : length.toSeconds() + 1;
        return Math.max(SHORTEST_SECONDS, rounded);
    }
}
