package io.holdfast.zookeeper.claim;

import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Exchanged;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.zookeeper.delay.AbandonedDelays;
import io.holdfast.zookeeper.delay.DelayStarts;
import io.holdfast.zookeeper.lease.AnswerDeadlines;
import io.holdfast.zookeeper.lease.ClaimRegistry;
import io.holdfast.zookeeper.lease.SessionLeases;
import io.holdfast.zookeeper.lease.StoreSetup;
import io.holdfast.zookeeper.lease.TtlLimits;
import io.holdfast.zookeeper.session.Session;
import io.holdfast.zookeeper.session.Sessions;
import io.holdfast.zookeeper.session.StoreErrors;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Locks as lines of nodes: the verbs of the store once it is attached to a client. A claim is an ephemeral sequential node,
 * the claim that is first in line holds, and each waiter watches only the claim before it. Thread-safe.
 */
public final class LineLocks {
    private final Sessions sessions;
    private final TtlLimits limits;
    private final StoreSetup setup;
    private final ClaimRegistry<NodeClaim> claims;
    private final AnswerDeadlines deadlines;
    private final SessionLeases<NodeClaim> leases;
    private final DelayStarts starts = new DelayStarts();
    private final AbandonedDelays abandoned;
    private final ClaimParts parts;

    /** Starts the sessions. */
    public LineLocks(Sessions sessions, TtlLimits limits, StoreSetup setup) {
        this.sessions = sessions;
        this.limits = limits;
        this.setup = setup;
        this.claims = new ClaimRegistry<>(setup);
        this.deadlines = new AnswerDeadlines(setup);
        this.abandoned = new AbandonedDelays(setup.paths());
        ClaimRelease release = new ClaimRelease(setup, sessions, claims, deadlines);
        this.parts = new ClaimParts(setup, claims, release, starts, abandoned);
        this.leases = new SessionLeases<>(sessions, setup, claims, deadlines);
    }

    /** As {@code LockStore.tryAcquire}. */
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        NodeClaim known = claims.find(claim.holder());
        if (known != null) {
            Granted held = known.held();
            return held != null
                    ? CompletableFuture.completedFuture(held)
                    : deadlines.boundedCopy(known.answers().tried(), what(claim));
        }
        if (claims.isOver(claim)) {
            return CompletableFuture.completedFuture(new Refused(null, null, false, null));
        }
        return request(claim, true, Duration.ZERO, ClaimAnswers::tried);
    }

    /** As {@code QueueingStore.enqueue}. */
    public CompletionStage<EnqueueResult> enqueue(Claim claim, Duration wait) {
        NodeClaim known = claims.find(claim.holder());
        if (known != null) {
            Granted held = known.held();
            return held != null
                    ? CompletableFuture.completedFuture(held)
                    : deadlines.boundedCopy(known.answers().enqueued(), what(claim));
        }
        if (claims.isOver(claim)) {
            return CompletableFuture.failedFuture(setup.errors().withdrawn(claim));
        }
        return request(claim, false, wait, ClaimAnswers::enqueued);
    }

    private <T> CompletionStage<T> request(
            Claim claim, boolean trying, Duration wait, Function<ClaimAnswers, CompletableFuture<T>> wanted) {
        RuntimeException refusal = limits.refusal(claim);
        if (refusal != null) {
            return CompletableFuture.failedFuture(refusal);
        }
        CompletableFuture<T> result = new CompletableFuture<>();
        leases.inSession(claim, result, session -> {
            NodeClaim fresh = claims.add(new NodeClaim(parts, session, claim, trying, wait));
            wanted.apply(fresh.answers()).whenComplete((answer, failure) -> {
                if (failure != null) {
                    result.completeExceptionally(StoreErrors.unwrapped(failure));
                } else {
                    result.complete(answer);
                }
            });
            fresh.create();
        });
        return deadlines.bounded(result, what(claim));
    }

    /** As {@code QueueingStore.exchange}: in one transaction, if both claims belong to one session. */
    public CompletionStage<Exchanged> exchange(Claim held, Claim next, Duration wait) {
        if (!held.lockName().equals(next.lockName())) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "exchange is within one lock, not '" + held.lockName() + "' for '" + next.lockName() + "'"));
        }
        NodeClaim old = claims.find(held.holder());
        Session session = sessions.ready(next.ttl());
        boolean fresh = claims.find(next.holder()) == null && !claims.isOver(next) && limits.refusal(next) == null;
        NodeDeletion deletion =
                old != null && session != null && old.session() == session && fresh ? old.deleteInTransaction() : null;
        if (old == null || session == null || deletion == null) {
            return release(held)
                    .thenCompose(released -> enqueue(next, wait).thenApply(answer -> new Exchanged(released, answer)));
        }
        claims.bury(held);
        NodeClaim replacement;
        try {
            replacement = claims.add(new NodeClaim(parts, session, next, false, wait));
        } catch (RuntimeException withdrawn) {
            deletion.send();
            return CompletableFuture.failedFuture(withdrawn);
        }
        return deadlines.bounded(new NodeExchange(setup, old, deletion, replacement).start(), what(next));
    }

    /** As {@code LockStore.renew}. */
    public CompletionStage<List<RenewResult>> renew(List<Claim> wanted) {
        return leases.renew(wanted);
    }

    /** As {@code LockStore.release}. */
    public CompletionStage<ReleaseResult> release(Claim claim) {
        return parts.release().release(claim);
    }

    /** As {@code LockStore.inspect}. */
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        CompletableFuture<List<LockStatus>> result = new CompletableFuture<>();
        return leases.inAnySession(
                "inspecting '" + query.text() + "'",
                session -> new LineInspection(setup, starts, session, query, result).start(),
                result);
    }

    /** As {@code LockStore.revoke}. */
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        CompletableFuture<RevokeResult> result = new CompletableFuture<>();
        return leases.inAnySession(
                "revoking lock '" + lockName + "'",
                session -> new LineRevocation(setup, starts, session, lockName, how, result).start(),
                result);
    }

    /** Withdraws claims that wait, and closes the sessions. */
    public void close() {
        leases.close();
    }

    /** The removal of old lock-delays. */
    public AbandonedDelays abandonedDelays() {
        return abandoned;
    }

    private static String what(Claim claim) {
        return "acquiring lock '" + claim.lockName() + "'";
    }
}
