package io.holdfast.redlock;

import io.holdfast.LockStatus;
import io.holdfast.Mode;
import io.holdfast.Revocation;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redlock.config.RedlockConfig;
import io.holdfast.redlock.node.NodeKeys;
import io.holdfast.redlock.node.Quorum;
import io.holdfast.redlock.node.Round;
import io.holdfast.redlock.vote.Ballot;
import io.holdfast.redlock.vote.Inspection;
import io.holdfast.redlock.vote.Proposals;
import io.holdfast.redlock.vote.Relearning;
import io.holdfast.redlock.vote.Verbs;
import io.holdfast.redlock.vote.VotesUnderWay;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreInfo;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * Fenced Redlock: a claim holds the lock if a majority of independent servers has voted for it, and the token of the
 * grant is the one that the client proposed (docs/design.md, 8). Pull mode; exclusive and shared, no permits (U11).
 *
 * <ul>
 *   <li>I1: a grant needs a majority of yes to <em>one</em> proposal from nodes that count (U7, U9), and time left of its
 *       TTL, counted from before the sending. Two majorities share a node, which votes for growing tokens only.
 *   <li>I2: a proposal that failed is withdrawn at all nodes, also those that failed or never answered, under its own id
 *       (U8): a withdrawal that arrives late hurts no later proposal of the same claim, and a vote that arrives after its
 *       withdrawal meets a tombstone (L1).
 *   <li>I3: a renewal needs a majority of extensions of <em>one</em> proposal; with fewer the old validity stands (U10b).
 * </ul>
 *
 * <p>Races considered: split votes (no claim has a majority: withdrawn, and tried again after a random pause, a few times
 * before the claim is refused); a fence above the proposal (tried again above it); a node whose quarantine has ended
 * (relearns first, then the proposal is repeated). Shared holders vote for each other's growing tokens; of two shared
 * requests under way at once either may be answered first.
 */
public final class RedlockStore implements LockStore {
    private static final int ROUNDS = 6;
    private static final Duration SHORTEST = Duration.ofMillis(100);

    private final RedlockConfig config;
    private final Quorum quorum;
    private final NodeKeys keys;
    private final Proposals proposals = new Proposals();
    private final Relearning relearning;
    private final Verbs verbs;
    private final VotesUnderWay underWay = new VotesUnderWay();
    private final StoreInfo info;

    RedlockStore(RedlockConfig config, Quorum quorum) {
        this.config = config;
        this.quorum = quorum;
        this.keys = new NodeKeys(config.namespace());
        this.relearning = new Relearning(quorum, keys);
        this.verbs = new Verbs(config, quorum, keys, proposals);
        StoreInfo usual = StoreInfo.of("redlock", quorum.where());
        // A verb is at most two more rounds after two node timeouts, each a vote and its withdrawal, and a relearning.
        this.info = new StoreInfo(
                usual.kind(),
                usual.location(),
                SHORTEST.compareTo(config.maxTtl()) < 0 ? SHORTEST : config.maxTtl(),
                config.maxTtl(),
                usual.maxNameLength(),
                EnumSet.of(Mode.EXCLUSIVE, Mode.SHARED),
                true,
                config.ioTimeout().multipliedBy(8),
                false,
                config.pauseMin(),
                config.pauseRandom());
    }

    /**
     * Over a client that is open already and that the caller closes; the store makes its own connections through it. It
     * must not reconnect by itself ({@code ClientOptions.autoReconnect(false)}), because that repeats votes. The other
     * settings are the usual ones.
     *
     * @param client the client; its options stay as they are
     * @param nodes the servers, an odd number of at least three, each with its login
     * @param namespace separates users of one deployment; empty for none
     * @throws IllegalArgumentException if the client reconnects, or these are no nodes of a quorum
     * @throws StoreUnavailableException if no majority can be reached
     */
    public static LockStore over(RedisClient client, List<RedisURI> nodes, String namespace) {
        if (nodes.size() < 3 || nodes.size() % 2 == 0) {
            throw new IllegalArgumentException(
                    "give an odd number of servers, at least three and better five, not " + nodes.size());
        }
        RedlockConfig config = RedlockConfig.usual(nodes, namespace);
        return new RedlockStore(config, Quorum.over(client, config));
    }

    @Override
    public StoreInfo info() {
        return info;
    }

    @Override
    public void attach(StoreContext attached) {
        quorum.attach(attached);
    }

    @Override
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        if (claim.mode() == Mode.PERMIT) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("lock '" + claim.lockName()
                    + "': a majority cannot count permits (each node would admit others); use exclusive locks '"
                    + claim.lockName() + "#1', '#2', … instead, or another store"));
        }
        if (claim.ttl().plus(claim.lockDelay()).compareTo(config.maxTtl()) > 0) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("lock '" + claim.lockName() + "': TTL "
                    + claim.ttl() + " plus lock-delay " + claim.lockDelay() + " is longer than maxTtl "
                    + config.maxTtl() + ", which is how long a restarted node waits for votes it forgot;"
                    + " ask for less, or raise maxTtl for the whole deployment"));
        }
        return underWay.during(claim, () -> attempt(claim, 1, quorum.now()));
    }

    private CompletableFuture<AcquireResult> attempt(Claim claim, int round, long began) {
        if (underWay.closed()) {
            return CompletableFuture.failedFuture(VotesUnderWay.closedStore());
        }
        StoreContext context = quorum.context();
        int bucket = keys.bucket(claim.lockName());
        long sent = quorum.now();
        Proposals.Proposal proposal =
                proposals.next(bucket, claim.span(), context.ticker().wallMicros(), sent, context.random());
        Ballot ballot = new Ballot(
                claim, proposal, quorum.size(), config.quarantineTime().toNanos());
        return verbs.vote(claim, bucket, proposal, ballot::decided).thenCompose(answers -> {
            proposals.saw(bucket, ballot.highestFence(answers));
            if (ballot.tooFarAhead(answers)) {
                proposals.tooFarAhead(bucket, ballot.highestFenceBehind(answers), quorum.now());
            }
            Optional<Granted> grant = ballot.grant(answers, sent, quorum.now());
            if (grant.isPresent()) {
                relearn();
                return CompletableFuture.completedFuture(grant.get());
            }
            return verbs.withdraw(claim, proposal)
                    .thenCompose(done -> afterDefeat(claim, round, began, ballot, answers));
        });
    }

    private CompletableFuture<AcquireResult> afterDefeat(
            Claim claim, int round, long began, Ballot ballot, List<Round.Answer> answers) {
        boolean again =
                round < ROUNDS && quorum.now() - began < 2 * config.ioTimeout().toNanos();
        if (!ballot.quorate(answers)) {
            StoreUnavailableException failure = quorum.tooFew(claim.lockName(), answers);
            return relearn()
                    .thenCompose(learned -> learned && round < ROUNDS
                            ? attempt(claim, ROUNDS, began)
                            : CompletableFuture.failedFuture(failure));
        }
        relearn();
        if (!again || ballot.withdrawn(answers) || ballot.blocked(answers)) {
            return CompletableFuture.completedFuture(ballot.refusal(answers));
        }
        CompletableFuture<AcquireResult> result = new CompletableFuture<>();
        long pause = quorum.context().random().nextLong(TimeUnit.MILLISECONDS.toNanos(2L * round) + 1);
        quorum.context().scheduler().schedule(() -> again(claim, round + 1, began, result), pause);
        return result;
    }

    private void again(Claim claim, int round, long began, CompletableFuture<AcquireResult> result) {
        try {
            attempt(claim, round, began).whenComplete((value, failure) -> {
                if (failure != null) {
                    result.completeExceptionally(failure);
                } else {
                    result.complete(value);
                }
            });
        } catch (Throwable e) { // L13: on a timer's thread the caller would never hear of it
            result.completeExceptionally(e);
        }
    }

    private CompletableFuture<Boolean> relearn() {
        return relearning.run(quorum::now, config.ioTimeout().toNanos());
    }

    @Override
    public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        return verbs.renew(claims);
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        return verbs.release(claim);
    }

    @Override
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        return new Inspection(quorum, keys, config.ioTimeout().toNanos()).run(query);
    }

    @Override
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        return verbs.revoke(lockName, how);
    }

    @Override
    public void close() {
        underWay.close(verbs, quorum.majority(), info.ioTimeout().toNanos());
        quorum.close();
    }
}
