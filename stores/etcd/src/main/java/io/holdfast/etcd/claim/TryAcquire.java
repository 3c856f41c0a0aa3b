package io.holdfast.etcd.claim;

import io.holdfast.Ticker;
import io.holdfast.etcd.claim.KeyClaim.Phase;
import io.holdfast.etcd.client.Deadline;
import io.holdfast.etcd.client.EtcdCalls;
import io.holdfast.etcd.client.Failures;
import io.holdfast.etcd.line.KeySpace;
import io.holdfast.etcd.line.Line;
import io.holdfast.etcd.line.LineReads;
import io.holdfast.etcd.line.Tokens;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Claims that do not wait. Such a claim is put in the line like any other and deleted at once if it is not first. That
 * takes a second call, and keeps other claims out meanwhile. So if a claim for the same lock was refused lately, the
 * line is read first, and the claim is put only if the read finds the lock free.
 */
final class TryAcquire {
    private static final long LATELY = TimeUnit.SECONDS.toNanos(1);
    private static final int REMEMBERED = 1000;

    private final EtcdCalls calls;
    private final KeySpace keys;
    private final Tokens tokens;
    private final Ticker ticker;
    private final ClaimRelease release;
    private final Map<String, Long> refusedAt = new LinkedHashMap<>();

    TryAcquire(EtcdCalls calls, KeySpace keys, Tokens tokens, Ticker ticker, ClaimRelease release) {
        this.calls = calls;
        this.keys = keys;
        this.tokens = tokens;
        this.ticker = ticker;
        this.release = release;
    }

    /** Completes with a refusal for which the claim need not be put, or with null. */
    CompletableFuture<@Nullable AcquireResult> refusalBefore(Claim claim, Deadline by) {
        if (!refusedLately(claim.lockName())) {
            return CompletableFuture.completedFuture(null);
        }
        return calls.read(LineReads.whole(keys, claim.lockName()), by).thenApply(answer -> {
            Line line = LineReads.line(claim.lockName(), answer.getGetResponses());
            boolean free = line.of(claim.holder()) != null || line.before(claim.mode(), claim.permits()) == null;
            return free ? null : line.refusal(claim, tokens);
        });
    }

    /** Deletes a claim that is not first, and refuses it. */
    CompletableFuture<AcquireResult> refuse(KeyClaim claim, Line line) {
        remember(claim.claim.lockName());
        return release.delete(claim.claim, claim, Phase.WAITING).handle((gone, failure) -> {
            if (failure != null) {
                claim.lease().sweepNext();
                throw Failures.unknown(failure);
            }
            return line.refusal(claim.claim, tokens);
        });
    }

    private synchronized boolean refusedLately(String name) {
        Long at = refusedAt.get(name);
        return at != null && ticker.nanos() - at < LATELY;
    }

    private synchronized void remember(String name) {
        refusedAt.remove(name);
        refusedAt.put(name, ticker.nanos());
        if (refusedAt.size() > REMEMBERED) {
            Iterator<String> oldest = refusedAt.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }
}
