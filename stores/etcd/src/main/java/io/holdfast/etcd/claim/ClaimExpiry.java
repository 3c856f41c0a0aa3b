package io.holdfast.etcd.claim;

import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.holdfast.Ticker;
import io.holdfast.etcd.claim.KeyClaim.Phase;
import io.holdfast.etcd.client.EtcdCalls;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The end of claims that were not released: by their TTL or by the loss of their key, and then by their lock-delay. */
final class ClaimExpiry {
    private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(250);

    private final EtcdCalls calls;
    private final Ticker ticker;
    private final ClaimRegistry registry;
    private final ClaimTimer timer;

    ClaimExpiry(EtcdCalls calls, Ticker ticker, ClaimRegistry registry, ClaimTimer timer) {
        this.calls = calls;
        this.ticker = ticker;
        this.registry = registry;
        this.timer = timer;
    }

    /** The TTL of a claim is over. Returns in how many nanoseconds the claim is to be looked at again. */
    long expire(KeyClaim claim) {
        if (!claim.move(Phase.HELD, Phase.EXPIRED)) {
            return ClaimTimer.SHORTEST_GAP;
        }
        claim.unwatch();
        registry.ended(claim.claim.holder());
        claim.endsAt(claim.endsAt() + claim.claim.lockDelay().toNanos());
        return deleteKey(claim);
    }

    /** Does what is due for an expired claim; returns in how many nanoseconds something else is due. */
    long attend(KeyClaim claim, long now) {
        if (claim.is(Phase.DELAYING)) {
            long toEnd = claim.endsAt() - now;
            return toEnd > 0 ? toEnd : deleteDelay(claim);
        }
        long toRetry = claim.dueAt() - now;
        return toRetry > 0 ? toRetry : deleteKey(claim);
    }

    /** The key of a holder is gone; true for the caller that finds it first. The lock-delay begins. */
    boolean lose(KeyClaim claim) {
        boolean first = claim.move(Phase.HELD, claim.hasDelay() ? Phase.DELAYING : Phase.OVER);
        if (first) {
            claim.unwatch();
            registry.ended(claim.claim.holder());
            if (claim.hasDelay()) {
                claim.endsAt(ticker.nanos() + claim.claim.lockDelay().toNanos());
                timer.by(claim.endsAt());
            } else {
                registry.over(claim);
            }
        }
        return first;
    }

    /** The key of an expired claim is gone. */
    void keyGone(KeyClaim claim) {
        if (!claim.hasDelay()) {
            if (claim.move(Phase.EXPIRED, Phase.OVER)) {
                registry.over(claim);
            }
        } else if (claim.move(Phase.EXPIRED, Phase.DELAYING)) {
            timer.by(claim.endsAt());
        }
    }

    private long deleteKey(KeyClaim claim) {
        claim.dueAt(ticker.nanos() + RETRY);
        Op delete = Op.delete(claim.key, DeleteOption.DEFAULT);
        calls.txn(List.of(claim.isStillThere()), List.of(delete), calls.deadline())
                .thenAccept(done -> keyGone(claim));
        return RETRY;
    }

    private long deleteDelay(KeyClaim claim) {
        claim.endsAt(ticker.nanos() + RETRY);
        Op delete = Op.delete(claim.delayKey, DeleteOption.DEFAULT);
        calls.txn(List.of(claim.isStillDelaying()), List.of(delete), calls.deadline())
                .thenAccept(done -> {
                    if (claim.move(Phase.DELAYING, Phase.OVER)) {
                        registry.over(claim);
                    }
                });
        return RETRY;
    }
}
