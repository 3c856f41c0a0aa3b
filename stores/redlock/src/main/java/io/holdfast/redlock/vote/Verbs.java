package io.holdfast.redlock.vote;

import io.holdfast.Holder;
import io.holdfast.Mode;
import io.holdfast.Revocation;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redlock.config.RedlockConfig;
import io.holdfast.redlock.node.NodeKeys;
import io.holdfast.redlock.node.NodeRequest;
import io.holdfast.redlock.node.Quorum;
import io.holdfast.redlock.node.Reply;
import io.holdfast.redlock.node.Round;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The scripts, each asked of all nodes, and what a majority of their answers means. */
public final class Verbs {
    /** Of renewals: a few milliseconds of a node. */
    private static final int BATCH = 200;

    /** For so many node timeouts batches of renewals are begun. */
    private static final int RENEWING = 6;

    private final RedlockConfig config;
    private final Quorum quorum;
    private final NodeKeys keys;
    private final Proposals proposals;

    public Verbs(RedlockConfig config, Quorum quorum, NodeKeys keys, Proposals proposals) {
        this.config = config;
        this.quorum = quorum;
        this.keys = keys;
        this.proposals = proposals;
    }

    public CompletableFuture<List<Round.Answer>> vote(
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
            Reply.word(claim.clientId()),
            Reply.word(claim.label()),
            Long.toString(claim.pause().toMillis())
        };
        return ask(quorum.request(NodeScripts.VOTE, keys.lock(claim.lockName()), timeout(claim), args), enough);
    }

    /** Withdraws one proposal at every node (I2); completes when each has answered or its time is up. */
    public CompletableFuture<List<Round.Answer>> withdraw(Claim claim, Proposals.Proposal proposal) {
        return release(claim, proposal.attempt(), answers -> false);
    }

    public CompletableFuture<ReleaseResult> release(Claim claim) {
        return release(claim, "", this::releaseDecided).thenApply(answers -> {
            if (count(answers, 'H') >= quorum.majority()) {
                return new ReleaseResult.Released(standBack(answers));
            }
            if (releaseDecided(answers)) {
                return new ReleaseResult.NotHeld(taker(answers));
            }
            throw unanswered("whether lock '" + claim.lockName() + "' was released", answers);
        });
    }

    /**
     * Releases whatever this claim has, at every node; completes with the answers when each has answered or its time is
     * up. A vote that arrives later meets a tombstone.
     */
    CompletableFuture<List<Round.Answer>> releaseEverywhere(Claim claim) {
        return release(claim, "", answers -> false);
    }

    /** L21: the longest pause that another client noted, at any node that answered. */
    private static Duration standBack(List<Round.Answer> answers) {
        return Duration.ofMillis(answers.stream()
                .filter(answer -> answer.rest().startsWith("H "))
                .mapToLong(answer -> Long.parseLong(answer.rest().substring(2)))
                .max()
                .orElse(0));
    }

    private boolean releaseDecided(List<Round.Answer> answers) {
        return count(answers, 'H') >= quorum.majority() || count(answers, 'N') > quorum.size() - quorum.majority();
    }

    private CompletableFuture<List<Round.Answer>> release(
            Claim claim, String attempt, Predicate<List<Round.Answer>> enough) {
        int bucket = keys.bucket(claim.lockName());
        NodeRequest request = quorum.request(
                NodeScripts.RELEASE,
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

    /**
     * In batches, one after the other. A node does nothing else while it runs one, and all of them at once would be
     * late only because the nodes were busy with them; the time to answer is that of a single vote. New batches are begun
     * for so long that all of it ends within the store's I/O timeout; what is left then is for the next time.
     */
    public CompletableFuture<List<RenewResult>> renew(List<Claim> claims) {
        long until = quorum.now() + RENEWING * config.ioTimeout().toNanos();
        return renew(claims, 0, until, new ArrayList<>(claims.size()));
    }

    private CompletableFuture<List<RenewResult>> renew(
            List<Claim> claims, int from, long until, List<RenewResult> results) {
        if (from >= claims.size()) {
            return CompletableFuture.completedFuture(results);
        }
        if (quorum.now() - until >= 0) {
            RenewResult late = new RenewResult.Unanswered(new StoreUnavailableException(
                    quorum.where() + ": " + from + " of " + claims.size() + " renewals took all the time there was",
                    false,
                    null));
            results.addAll(Collections.nCopies(claims.size() - from, late));
            return CompletableFuture.completedFuture(results);
        }
        int to = Math.min(from + BATCH, claims.size());
        return renewBatch(claims.subList(from, to)).thenCompose(part -> {
            results.addAll(part);
            return renew(claims, to, until, results);
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
        NodeRequest request = quorum.request(NodeScripts.RENEW, lock, timeout(hurried), args);
        RenewalTally tally = new RenewalTally(quorum, claims);
        long sent = quorum.now();
        return ask(request, tally::allRenewed).thenApply(answers -> tally.results(answers, sent));
    }

    public CompletableFuture<RevokeResult> revoke(String lockName, Revocation how) {
        NodeRequest request = quorum.request(
                NodeScripts.REVOKE,
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
