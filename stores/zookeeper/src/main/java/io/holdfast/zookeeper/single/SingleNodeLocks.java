package io.holdfast.zookeeper.single;

import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.WatchableStore;
import io.holdfast.zookeeper.lease.AnswerDeadlines;
import io.holdfast.zookeeper.lease.ClaimRegistry;
import io.holdfast.zookeeper.lease.SessionLeases;
import io.holdfast.zookeeper.lease.StoreSetup;
import io.holdfast.zookeeper.lease.TtlLimits;
import io.holdfast.zookeeper.session.Sessions;
import io.holdfast.zookeeper.session.StoreErrors;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Locks as single nodes: the verbs of the store once it is attached to a client. Thread-safe. */
public final class SingleNodeLocks {
    /** The node of a lock, below its container. */
    static final String NODE = "/lock";

    private final Sessions sessions;
    private final TtlLimits limits;
    private final StoreSetup setup;
    private final ClaimRegistry<SingleNodeClaim> claims;
    private final AnswerDeadlines deadlines;
    private final SessionLeases<SingleNodeClaim> leases;

    /** Starts the sessions. */
    public SingleNodeLocks(Sessions sessions, TtlLimits limits, StoreSetup setup) {
        this.sessions = sessions;
        this.limits = limits;
        this.setup = setup;
        this.claims = new ClaimRegistry<>(setup);
        this.deadlines = new AnswerDeadlines(setup);
        this.leases = new SessionLeases<>(sessions, setup, claims, deadlines);
    }

    /** As {@code LockStore.tryAcquire}. */
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        String what = "acquiring lock '" + claim.lockName() + "'";
        SingleNodeClaim known = claims.find(claim.holder());
        if (known != null) {
            Granted held = known.held();
            return held != null ? CompletableFuture.completedFuture(held) : deadlines.boundedCopy(known.answer(), what);
        }
        if (claims.isOver(claim)) {
            return CompletableFuture.completedFuture(new Refused(null, null, false, null));
        }
        RuntimeException refusal = limits.refusal(claim);
        if (refusal != null) {
            return CompletableFuture.failedFuture(refusal);
        }
        CompletableFuture<AcquireResult> result = new CompletableFuture<>();
        leases.inSession(claim, result, session -> {
            SingleNodeClaim fresh = claims.add(new SingleNodeClaim(setup, claims, session, claim));
            fresh.answer().whenComplete((answer, failure) -> {
                if (failure != null) {
                    result.completeExceptionally(StoreErrors.unwrapped(failure));
                } else {
                    result.complete(answer);
                }
            });
            fresh.create();
        });
        return deadlines.bounded(result, what);
    }

    /** As {@code LockStore.release}. */
    public CompletionStage<ReleaseResult> release(Claim claim) {
        claims.bury(claim);
        String what = "releasing lock '" + claim.lockName() + "'";
        SingleNodeClaim known = claims.find(claim);
        if (known != null) {
            return deadlines.boundedCopy(known.release(), what);
        }
        CompletableFuture<ReleaseResult> result = new CompletableFuture<>();
        return leases.inAnySession(
                what,
                session -> new SingleNodeInspection(setup, session)
                        .read(claim.lockName())
                        .whenComplete((status, failure) -> {
                            if (failure != null) {
                                result.completeExceptionally(failure);
                            } else {
                                result.complete(new ReleaseResult.NotHeld(
                                        status.holders().isEmpty()
                                                ? null
                                                : status.holders().get(0)));
                            }
                        }),
                result);
    }

    /** As {@code LockStore.renew}. */
    public CompletionStage<List<RenewResult>> renew(List<Claim> wanted) {
        return leases.renew(wanted);
    }

    /** As {@code LockStore.inspect}. */
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        CompletableFuture<List<LockStatus>> result = new CompletableFuture<>();
        return leases.inAnySession(
                "inspecting '" + query.text() + "'",
                session -> new SingleNodeInspection(setup, session).start(query, result),
                result);
    }

    /** As {@code LockStore.revoke}. */
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        CompletableFuture<RevokeResult> result = new CompletableFuture<>();
        return leases.inAnySession(
                "revoking lock '" + lockName + "'",
                session -> new SingleNodeRevocation(setup, session, lockName, how, result).start(),
                result);
    }

    /** As {@code WatchableStore.watch}. */
    public WatchableStore.Watch watch(String lockName, Runnable wake) {
        return new ReleaseWatch(sessions, setup.paths().name(lockName) + NODE, wake).start();
    }

    /** Withdraws claims that are not granted, and closes the sessions. */
    public void close() {
        leases.close();
    }
}
