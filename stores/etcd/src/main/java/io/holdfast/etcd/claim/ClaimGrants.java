package io.holdfast.etcd.claim;

import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import io.holdfast.StoreUnavailableException;
import io.holdfast.Ticker;
import io.holdfast.etcd.client.Deadline;
import io.holdfast.etcd.client.EtcdCalls;
import io.holdfast.etcd.client.Failures;
import io.holdfast.etcd.line.LockDelay;
import io.holdfast.etcd.line.Tokens;
import io.holdfast.etcd.session.EtcdLeases;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Makes a claim that is first in line the holder: announces its lock-delay, and then it holds. */
final class ClaimGrants {
    /** The own key of a claim that is held for longer than this is watched (U4). */
    private static final long UNWATCHED = TimeUnit.MILLISECONDS.toNanos(100);

    private final EtcdCalls calls;
    private final EtcdLeases leases;
    private final Tokens tokens;
    private final Ticker ticker;
    private final ClaimTimer timer;

    ClaimGrants(EtcdCalls calls, EtcdLeases leases, Tokens tokens, Ticker ticker, ClaimTimer timer) {
        this.calls = calls;
        this.leases = leases;
        this.tokens = tokens;
        this.ticker = ticker;
        this.timer = timer;
    }

    /** Grants a claim that its own request, sent at {@code sent}, found to be first. */
    CompletableFuture<Granted> grant(KeyClaim claim, long sent, Deadline by) {
        return announceDelay(claim, by).handle((mine, failure) -> {
            if (failure != null) {
                claim.lease().sweepNext();
                throw Failures.unknown(failure);
            }
            if (!mine || !hold(claim, sent)) {
                throw new StoreUnavailableException(
                        "the claim of " + claim.claim.label() + " for lock '" + claim.claim.lockName()
                                + "' was withdrawn before it was granted",
                        true,
                        null);
            }
            return granted(claim, sent);
        });
    }

    /**
     * Announces the lock-delay of a claim that is first, before the claim is reported as held (L10). Completes with
     * false if the claim's key is gone.
     */
    CompletableFuture<Boolean> announceDelay(KeyClaim claim, Deadline by) {
        if (!claim.hasDelay()) {
            return CompletableFuture.completedFuture(true);
        }
        Claim wanted = claim.claim;
        return leases.forDelays(claim.lease(), wanted.ttl(), wanted.lockDelay())
                .thenCompose(lease -> {
                    claim.delayPutOn(lease);
                    if (!lease.use()) {
                        leases.forget(lease);
                        return CompletableFuture.failedFuture(new StoreUnavailableException(
                                calls.where() + ": the etcd lease of lock-delays has ended", true, null));
                    }
                    Op put = Op.put(
                            claim.delayKey,
                            LockDelay.value(wanted),
                            PutOption.builder().withLeaseId(lease.id()).build());
                    return calls.txn(List.of(claim.isStillThere()), List.of(put), by)
                            .whenComplete((done, failure) -> {
                                if (failure != null && Failures.leaseGone(failure)) {
                                    leases.forget(lease);
                                }
                            });
                })
                .thenApply(TxnResponse::isSucceeded);
    }

    /** The claim holds, as a request sent at {@code sent} found. False if it was withdrawn meanwhile. */
    boolean hold(KeyClaim claim, long sent) {
        long now = ticker.nanos();
        boolean holds = claim.hold(sent + claim.claim.ttl().toNanos(), now + UNWATCHED);
        if (holds) {
            claim.unwatch();
            timer.by(now + Math.min(UNWATCHED, claim.endsAt() - now));
        }
        return holds;
    }

    /** The grant of a claim that holds. */
    Granted granted(KeyClaim claim, long sent) {
        return new Granted(tokens.first(claim.createRevision()), claim.claim.span(), claim.term(sent));
    }
}
