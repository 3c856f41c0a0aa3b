package io.holdfast.zookeeper.claim;

import io.holdfast.spi.Claim;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.zookeeper.lease.AnswerDeadlines;
import io.holdfast.zookeeper.lease.ClaimRegistry;
import io.holdfast.zookeeper.lease.SessionClaim;
import io.holdfast.zookeeper.lease.StoreSetup;
import io.holdfast.zookeeper.session.Session;
import io.holdfast.zookeeper.session.Sessions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Releases claims: one that the store knows through its node, any other by its holder id. Thread-safe. */
final class ClaimRelease {
    private final StoreSetup setup;
    private final Sessions sessions;
    private final ClaimRegistry<?> claims;
    private final AnswerDeadlines deadlines;

    ClaimRelease(StoreSetup setup, Sessions sessions, ClaimRegistry<?> claims, AnswerDeadlines deadlines) {
        this.setup = setup;
        this.sessions = sessions;
        this.claims = claims;
        this.deadlines = deadlines;
    }

    /** Releases a claim, which is never granted afterwards. */
    CompletionStage<ReleaseResult> release(Claim claim) {
        claims.bury(claim);
        String what = "releasing lock '" + claim.lockName() + "'";
        SessionClaim known = claims.find(claim);
        if (known != null) {
            return deadlines.boundedCopy(known.release(), what);
        }
        Session usual = sessions.ready(claim.ttl());
        Session session = usual == null ? sessions.any() : usual;
        if (session == null) {
            return CompletableFuture.failedFuture(setup.errors().noSession());
        }
        CompletableFuture<ReleaseResult> result = new CompletableFuture<>();
        new ReleaseByHolder(setup, session, claim, result).start();
        return deadlines.bounded(result, what);
    }
}
