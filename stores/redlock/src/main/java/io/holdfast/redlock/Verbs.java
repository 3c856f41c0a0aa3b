package io.holdfast.redlock;

import io.holdfast.Holder;
import io.holdfast.LossReason;
import io.holdfast.Mode;
import io.holdfast.Revocation;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.Term;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The scripts, each asked of all nodes, and what a majority of their answers means. */
final class Verbs {
    private static final int BATCH = 500;

    private final RedlockConfig config;
    private final Quorum quorum;
    private final KeySpace keys;
    private final Proposals proposals;

    Verbs(RedlockConfig config, Quorum quorum, KeySpace keys, Proposals proposals) {
        this.config = config;
        this.quorum = quorum;
        this.keys = keys;
        this.proposals = proposals;
    }

    CompletableFuture<List<Round.Answer>> vote(
            Claim claim, int bucket, Proposals.Proposal proposal, Predicate<List<Round.Answer>> enough) {
        String[] args = {
            Integer.toString(bucket),
            claim.holder().toString(),
            proposal.attempt(),
            Long.toString(proposal.token()),
            Integer.toString(proposal.span()),
            claim.mode() == Mode.EXCLUSIVE ? "X" : "S",
            Long.toString(claim.ttl().toMillis()),
            Long.toString(claim.lockDelay().toMillis()),
            Reply.who(claim.clientId(), claim.label())
        };
        return ask(quorum.request(Scripts.VOTE, keys.lock(claim.lockName()), timeout(claim), args), enough);
    }

    /** Withdraws one proposal at every node (I2); completes when each has answered or its time is up. */
    CompletableFuture<List<Round.Answer>> withdraw(Claim claim, Proposals.Proposal proposal) {
        return release(claim, proposal.attempt(), answers -> false);
    }

    CompletableFuture<ReleaseResult> release(Claim claim) {
        return release(claim, "", this::releaseDecided).thenApply(answers -> {
            if (count(answers, 'H') >= quorum.majority()) {
                return ReleaseResult.Released.INSTANCE;
            }
            if (releaseDecided(answers)) {
                return new ReleaseResult.NotHeld(taker(answers));
            }
            throw unanswered("whether lock '" + claim.lockName() + "' was released", answers);
        });
    }

    private boolean releaseDecided(List<Round.Answer> answers) {
        return count(answers, 'H') >= quorum.majority() || count(answers, 'N') > quorum.size() - quorum.majority();
    }

    private CompletableFuture<List<Round.Answer>> release(
            Claim claim, String attempt, Predicate<List<Round.Answer>> enough) {
        int bucket = keys.bucket(claim.lockName());
        NodeRequest request = quorum.request(
                Scripts.RELEASE,
                keys.lock(claim.lockName()),
                timeout(claim),
                claim.holder().toString(),
                attempt,
                Integer.toString(bucket),
                Long.toString(proposals.highest(bucket)));
        return ask(request, enough);
    }

    private static @Nullable Holder taker(List<Round.Answer> answers) {
        for (Round.Answer answer : answers) {
            if (answer.rest().startsWith("N ")) {
                return Reply.Vote.parse(answer.rest().substring(2)).holder();
            }
        }
        return null;
    }

    CompletableFuture<List<RenewResult>> renew(List<Claim> claims) {
        if (claims.size() <= BATCH) {
            return claims.isEmpty() ? CompletableFuture.completedFuture(List.of()) : renewBatch(claims);
        }
        return renewBatch(claims.subList(0, BATCH))
                .thenCombine(renew(claims.subList(BATCH, claims.size())), (first, others) -> {
                    List<RenewResult> all = new ArrayList<>(first);
                    all.addAll(others);
                    return all;
                });
    }

    private CompletableFuture<List<RenewResult>> renewBatch(List<Claim> claims) {
        List<String> touched = new ArrayList<>(List.of(keys.node()));
        List<String> ids = new ArrayList<>();
        Claim hurried = claims.get(0);
        for (Claim claim : claims) {
            touched.add(keys.lockKey(claim.lockName()));
            touched.add(keys.tombs(claim.lockName()));
            ids.add(claim.holder().toString());
            hurried = claim.ttl().compareTo(hurried.ttl()) < 0 ? claim : hurried;
        }
        String[] lock = touched.toArray(String[]::new);
        String[] args = ids.toArray(String[]::new);
        NodeRequest request = quorum.request(Scripts.RENEW, lock, timeout(hurried), args);
        long sent = quorum.now();
        return ask(request, answers -> allRenewed(claims, answers)).thenApply(answers -> {
            List<RenewResult> results = new ArrayList<>();
            for (int i = 0; i < claims.size(); i++) {
                results.add(renewed(claims.get(i), i, sent, answers));
            }
            return results;
        });
    }

    private boolean allRenewed(List<Claim> claims, List<Round.Answer> answers) {
        if (answers.size() < quorum.majority()) {
            return false;
        }
        for (int i = 0; i < claims.size(); i++) {
            if (!(renewed(claims.get(i), i, 0, answers) instanceof RenewResult.Renewed)) {
                return false;
            }
        }
        return true;
    }

    /** I3: a majority of extensions of one proposal; or nothing at so many nodes that there can be none. */
    private RenewResult renewed(Claim claim, int at, long sent, List<Round.Answer> answers) {
        Map<String, Integer> extended = new HashMap<>();
        int nothing = 0;
        boolean revoked = false;
        for (Round.Answer answer : answers) {
            String line = answer.reply() == null ? "" : answer.rest().split("\n")[at];
            if (line.startsWith("K ") && answer.counts()) {
                if (extended.merge(line.split(" ")[1], 1, Integer::sum) >= quorum.majority()) {
                    return new RenewResult.Renewed(Term.of(sent, claim.ttl()));
                }
            } else if (line.equals("L") || line.equals("X")) {
                nothing++;
                revoked |= line.equals("X");
            }
        }
        if (nothing > quorum.size() - quorum.majority()) {
            return new RenewResult.Lost(revoked ? LossReason.REVOKED : LossReason.GONE);
        }
        return new RenewResult.Unanswered(quorum.tooFew(claim.lockName(), answers));
    }

    CompletableFuture<RevokeResult> revoke(String lockName, Revocation how) {
        NodeRequest request = quorum.request(
                Scripts.REVOKE,
                keys.lock(lockName),
                config.ioTimeout().toNanos(),
                how == Revocation.NOW ? "now" : "end",
                Integer.toString(keys.bucket(lockName)));
        return ask(request, answers -> false).thenApply(answers -> {
            int votes = count(answers, 'V');
            if (votes + count(answers, 'N') < quorum.majority()) {
                throw unanswered("whether lock '" + lockName + "' was revoked", answers);
            }
            if (votes == 0) {
                return new RevokeResult.NotHeld();
            }
            long opens = answers.stream()
                    .filter(answer -> answer.rest().startsWith("V "))
                    .mapToLong(answer -> Long.parseLong(answer.rest().substring(2)))
                    .max()
                    .orElse(0);
            return new RevokeResult.Revoked(Duration.ofMillis(opens));
        });
    }

    private CompletableFuture<List<Round.Answer>> ask(NodeRequest request, Predicate<List<Round.Answer>> enough) {
        return Round.ask(quorum.nodes(), new Round.Ask(node -> node.eval(request), quorum::now), enough);
    }

    /** One node's time to answer: never more than a tenth of the TTL. */
    private long timeout(Claim claim) {
        return Math.min(config.ioTimeout().toNanos(), claim.ttl().toNanos() / 10);
    }

    private static int count(List<Round.Answer> answers, char word) {
        return (int) answers.stream()
                .filter(answer -> !answer.rest().isEmpty() && answer.rest().charAt(0) == word)
                .count();
    }

    private StoreUnavailableException unanswered(String what, List<Round.Answer> answers) {
        long answered =
                answers.stream().filter(answer -> answer.reply() != null).count();
        return new StoreUnavailableException(
                quorum.where() + ": " + answered + " of " + quorum.size() + " nodes answered, and that does not tell "
                        + what,
                true,
                null);
    }
}
