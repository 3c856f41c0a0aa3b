package io.holdfast.zookeeper.lease;

import io.holdfast.LossReason;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Term;
import io.holdfast.zookeeper.session.Session;
import io.holdfast.zookeeper.session.StoreErrors;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.zookeeper.KeeperException.Code;

/** Renews leases: one heartbeat of a session renews all of its leases. */
final class LeaseRenewal {
    private final StoreSetup setup;
    private final ClaimRegistry<?> claims;
    private final AnswerDeadlines deadlines;

    LeaseRenewal(StoreSetup setup, ClaimRegistry<?> claims, AnswerDeadlines deadlines) {
        this.setup = setup;
        this.claims = claims;
        this.deadlines = deadlines;
    }

    CompletionStage<List<RenewResult>> renew(List<Claim> wanted) {
        Map<Session, List<Claim>> bySession = new LinkedHashMap<>();
        Map<HolderId, RenewResult> answers = new ConcurrentHashMap<>();
        for (Claim claim : wanted) {
            SessionClaim known = claims.find(claim);
            if (known == null) {
                answers.put(claim.holder(), new RenewResult.Lost(LossReason.GONE));
            } else {
                if (known.isHeld()) {
                    known.watchNode();
                }
                bySession
                        .computeIfAbsent(known.session(), fresh -> new ArrayList<>())
                        .add(claim);
            }
        }
        List<CompletableFuture<Void>> beats = new ArrayList<>(bySession.size());
        bySession.forEach((session, its) -> beats.add(beat(session, its)
                .exceptionally(failure -> unanswered(its, StoreErrors.unwrapped(failure)))
                .thenAccept(results -> {
                    for (int i = 0; i < results.size(); i++) {
                        answers.put(its.get(i).holder(), results.get(i));
                    }
                })));
        return CompletableFuture.allOf(beats.toArray(CompletableFuture[]::new))
                .thenApply(done -> wanted.stream()
                        .map(claim -> Objects.requireNonNull(answers.get(claim.holder())))
                        .toList());
    }

    /**
     * Events and answers come in the order of ZooKeeper's log. So a watched node whose deletion has not been reported when
     * this write is answered existed when the write was executed (U4).
     */
    private CompletableFuture<List<RenewResult>> beat(Session session, List<Claim> its) {
        CompletableFuture<List<RenewResult>> result = new CompletableFuture<>();
        long sent = setup.now();
        session.beat(
                zxid -> result.complete(renewed(its, session, sent)),
                () -> result.completeExceptionally(
                        setup.errors().answered("renewing", Code.CONNECTIONLOSS.intValue())));
        return deadlines.bounded(result, "renewing " + its.size() + " leases");
    }

    private List<RenewResult> renewed(List<Claim> its, Session session, long sent) {
        List<RenewResult> results = new ArrayList<>(its.size());
        for (Claim claim : its) {
            SessionClaim known = claims.find(claim.holder());
            LossReason lost = known == null ? LossReason.GONE : known.obstacleToRenewal(sent);
            long nanos = Math.min(claim.ttl().toNanos(), session.deadline() - sent);
            if (lost != null || known == null) {
                results.add(new RenewResult.Lost(lost == null ? LossReason.GONE : lost));
            } else if (nanos <= 0 || known.session() != session) {
                results.add(
                        new RenewResult.Unanswered(setup.errors().answered("renewing", Code.SESSIONMOVED.intValue())));
            } else {
                known.extend(sent);
                results.add(new RenewResult.Renewed(new Term(sent, nanos)));
            }
        }
        return results;
    }

    private static List<RenewResult> unanswered(List<Claim> claims, Throwable why) {
        return claims.stream()
                .<RenewResult>map(claim -> new RenewResult.Unanswered(why))
                .toList();
    }
}
