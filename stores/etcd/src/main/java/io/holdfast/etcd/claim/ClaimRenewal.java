package io.holdfast.etcd.claim;

import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.holdfast.LossReason;
import io.holdfast.Ticker;
import io.holdfast.etcd.claim.KeyClaim.Phase;
import io.holdfast.etcd.client.EtcdCalls;
import io.holdfast.etcd.client.Failures;
import io.holdfast.etcd.line.Entry;
import io.holdfast.etcd.session.EtcdLease;
import io.holdfast.spi.Claim;
import io.holdfast.spi.RenewResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Renews claims that hold. A claim is renewed only if its etcd lease was kept alive <em>and</em> its key is still there
 * with the same create revision (U4): etcd keeps a lease alive also after a key on it was deleted.
 */
final class ClaimRenewal {
    /** Claims in one transaction, with two reads each at most; etcd accepts 128 operations by default. */
    static final int BATCH = 60;

    /**
     * A claim whose renewal was sent.
     *
     * @param index its place in the list that is renewed
     * @param alive the answer about its etcd lease
     */
    private record Asked(int index, KeyClaim claim, CompletableFuture<Boolean> alive) {}

    private final EtcdCalls calls;
    private final Ticker ticker;
    private final ClaimRegistry registry;
    private final ClaimExpiry expiry;

    ClaimRenewal(EtcdCalls calls, Ticker ticker, ClaimRegistry registry, ClaimExpiry expiry) {
        this.calls = calls;
        this.ticker = ticker;
        this.registry = registry;
        this.expiry = expiry;
    }

    /** Renews all of these; the results are in the same order. */
    CompletableFuture<List<RenewResult>> renew(List<Claim> claims) {
        long sent = ticker.nanos();
        RenewResult[] results = new RenewResult[claims.size()];
        List<Asked> asked = new ArrayList<>();
        Map<EtcdLease, CompletableFuture<Boolean>> alive = new HashMap<>();
        for (int i = 0; i < results.length; i++) {
            KeyClaim claim = registry.of(claims.get(i));
            if (claim == null || !claim.is(Phase.HELD) || claim.endsAt() - sent <= 0) {
                results[i] = new RenewResult.Lost(LossReason.GONE);
            } else if (claim.isRevoked()) {
                results[i] = new RenewResult.Lost(LossReason.REVOKED);
            } else {
                asked.add(new Asked(i, claim, alive.computeIfAbsent(claim.lease(), EtcdLease::keepAlive)));
            }
        }
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int start = 0; start < asked.size(); start += BATCH) {
            all.add(renewBatch(asked.subList(start, Math.min(start + BATCH, asked.size())), results, sent));
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).thenApply(done -> Arrays.asList(results));
    }

    private CompletableFuture<?> renewBatch(List<Asked> batch, RenewResult[] results, long sent) {
        List<Op> reads = new ArrayList<>();
        for (Asked asked : batch) {
            reads.add(Op.get(asked.claim().key, GetOption.DEFAULT));
            if (asked.claim().hasDelay()) {
                reads.add(Op.get(asked.claim().delayKey, GetOption.DEFAULT));
            }
        }
        CompletableFuture<List<GetResponse>> read =
                calls.read(reads, calls.deadline()).thenApply(TxnResponse::getGetResponses);
        return CompletableFuture.allOf(
                        Stream.concat(Stream.of(read), batch.stream().map(Asked::alive))
                                .toArray(CompletableFuture[]::new))
                .handle((done, failure) -> {
                    int answer = 0;
                    for (Asked asked : batch) {
                        results[asked.index()] = result(asked, read, answer, sent);
                        answer += asked.claim().hasDelay() ? 2 : 1;
                    }
                    return batch.size();
                });
    }

    private RenewResult result(Asked asked, CompletableFuture<List<GetResponse>> read, int answer, long sent) {
        if (asked.alive().isCompletedExceptionally()) {
            return unanswered(asked.alive());
        }
        if (!asked.alive().join()) {
            return new RenewResult.Lost(LossReason.GONE);
        }
        if (read.isCompletedExceptionally()) {
            return unanswered(read);
        }
        KeyClaim claim = asked.claim();
        Entry own = OwnKeyWatch.ownIn(read.join().get(answer), claim);
        if (own == null
                || (claim.hasDelay() && read.join().get(answer + 1).getKvs().isEmpty())) {
            expiry.lose(claim);
            return new RenewResult.Lost(LossReason.GONE);
        }
        if (own.revoked()) {
            claim.revoke();
            return new RenewResult.Lost(LossReason.REVOKED);
        }
        return claim.extend(sent + claim.claim.ttl().toNanos())
                ? new RenewResult.Renewed(claim.term(sent))
                : new RenewResult.Lost(LossReason.GONE);
    }

    private static RenewResult unanswered(CompletableFuture<?> failed) {
        return new RenewResult.Unanswered(
                failed.handle((done, failure) -> Failures.unwrapped(failure)).join());
    }
}
