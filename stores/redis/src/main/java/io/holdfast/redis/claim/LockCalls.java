package io.holdfast.redis.claim;

import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.Sequencer;
import io.holdfast.guard.redis.mark.ResourceMarks;
import io.holdfast.redis.wire.LuaScript;
import io.holdfast.redis.wire.SupervisedConnection;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.MarkResult;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RevokeResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The lock verbs as script calls: one call each, every key declared (U25). {@link BatchedCalls} has the verbs for many
 * claims. Thread-safe.
 */
public final class LockCalls {
    private static final long LONGEST_WAIT_MILLIS = Integer.MAX_VALUE;

    /** The channel of a claim that does not wait. */
    private static final String NO_CHANNEL = "-";

    private static final Duration NO_WAIT = Duration.ofMillis(-1);

    private final LockKeys keys;
    private final SupervisedConnection connection;
    private final @Nullable Replication replication;
    private final LongSupplier clock;
    private final long ioNanos;
    private final RecentlyContendedNames contended = new RecentlyContendedNames();

    /** Calls over the connections of {@code context}. */
    public LockCalls(CallContext context) {
        this.keys = context.keys();
        this.connection = context.connection();
        this.replication = context.replication();
        this.clock = context.clock();
        this.ioNanos = context.ioTimeout().toNanos();
    }

    /** Grants the lock or refuses it; a refused claim with a pause is noted (L21). */
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        long sent = clock.getAsLong();
        return take(claim, NO_WAIT, NO_CHANNEL).thenCompose(reply -> {
            if (Replies.isGrant(reply)) {
                return CompletableFuture.completedFuture(Replies.grant(reply, sent));
            }
            AcquireResult refused = Replies.refused(reply);
            return claim.pause().isZero()
                    ? CompletableFuture.completedFuture(refused)
                    : note(claim).handle((noted, failure) -> refused);
        });
    }

    /** Grants the lock, or queues the claim if {@code wait} is not negative, or refuses it; the script's reply. */
    CompletableFuture<String> take(Claim claim, Duration wait, String channel) {
        String[] args = takeArgs(claim, wait, channel, 6);
        return replication == null
                ? connection.eval(LockScripts.TAKE, keys.lock(claim.lockName()), args, timeout(claim), false)
                : grantToReplicas(claim, replication, LockScripts.TAKE, args);
    }

    /** Gives {@code held} up and takes {@code next}; the two replies. */
    CompletableFuture<String[]> exchange(Claim held, Claim next, Duration wait, String channel) {
        String[] args = takeArgs(next, wait, channel, 7);
        args[6] = held.holder().toString();
        CompletableFuture<String> reply = replication == null
                ? connection.eval(LockScripts.EXCHANGE, keys.lock(next.lockName()), args, timeout(next))
                : grantToReplicas(next, replication, LockScripts.EXCHANGE, args);
        return reply.thenApply(text -> text.split("\n"));
    }

    /** Releases by holder id: ends the grant, the lock-delay or the place in the queue. */
    public CompletableFuture<ReleaseResult> release(Claim claim) {
        String name = claim.lockName();
        String[] args = {claim.holder().toString()};
        return connection
                .eval(LockScripts.RELEASE, keys.lock(name), args, ioNanos, contended.contains(name))
                .thenApply(reply -> {
                    contended.released(name, Replies.isPassedOn(reply));
                    return Replies.released(reply);
                });
    }

    /**
     * As {@link #release}, with the longest pause that another client has noted in the last 2 s (L21). The notes are read
     * in the same round trip; if they cannot be read the claim is released all the same.
     */
    public CompletionStage<ReleaseResult> releaseAndReadNotes(Claim claim) {
        String[] args = {claim.clientId()};
        CompletableFuture<Duration> pause = connection
                .eval(LockScripts.NOTES, new String[] {keys.notes(claim.lockName())}, args, ioNanos)
                .thenApply(reply -> Duration.ofMillis(Long.parseLong(reply)))
                .exceptionally(unread -> Duration.ZERO);
        return release(claim)
                .thenCombine(
                        pause,
                        (result, standBack) -> result instanceof ReleaseResult.Released && !standBack.isZero()
                                ? new ReleaseResult.Released(standBack)
                                : result);
    }

    /** What is known of one lock, or of those whose names begin so. */
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        if (query.prefix()) {
            return new LockScan(connection, keys, this::inspect, query).run(ioNanos);
        }
        return inspect(query.text())
                .thenApply(status -> status.lastToken() == 0 && !status.held() ? List.of() : List.of(status));
    }

    private CompletableFuture<LockStatus> inspect(String name) {
        return connection
                .eval(LockScripts.INSPECT, keys.lock(name), new String[0], ioNanos)
                .thenApply(reply -> Replies.status(name, reply));
    }

    /** Takes the lock from its holders. */
    public CompletionStage<RevokeResult> revoke(String name, Revocation how) {
        String[] args = {how == Revocation.NOW ? "now" : "end"};
        return connection
                .eval(LockScripts.REVOKE, keys.lock(name), args, ioNanos)
                .thenApply(Replies::revoked);
    }

    /** Marks a resource with a token, by the rule and at the place of {@link ResourceMarks}. */
    public CompletionStage<MarkResult> admit(String resource, Sequencer sequencer) {
        String[] args;
        try {
            args = ResourceMarks.arguments(sequencer, 3);
        } catch (IllegalArgumentException permit) {
            return CompletableFuture.failedFuture(permit);
        }
        return connection
                .eval(LockScripts.ADMIT, new String[] {keys.mark(resource)}, args, ioNanos)
                .thenApply(Replies::marked);
    }

    /** Notes that the client of a refused claim asks again after a pause (L21). */
    private CompletableFuture<String> note(Claim claim) {
        String[] args = {claim.clientId(), millis(claim.pause())};
        return connection.eval(LockScripts.NOTE, new String[] {keys.notes(claim.lockName())}, args, ioNanos);
    }

    /** At most a third of the TTL. */
    private long timeout(Claim claim) {
        return Math.min(ioNanos, claim.ttl().toNanos() / 3);
    }

    private CompletableFuture<String> grantToReplicas(
            Claim claim, Replication wanted, LuaScript script, String[] args) {
        return wanted.connection()
                .evalAndWait(script, keys.lock(claim.lockName()), args, wanted.replicas(), timeout(claim))
                .thenCompose(answer -> {
                    boolean granted =
                            answer.reply().startsWith("G ") || answer.reply().contains("\nG ");
                    return !granted || answer.replicas() >= wanted.replicas()
                            ? CompletableFuture.completedFuture(answer.reply())
                            : takeBack(claim, wanted, answer.replicas());
                });
    }

    /** Too few replicas have the grant: it is released, and the caller gets an error that says so. */
    private CompletionStage<String> takeBack(Claim claim, Replication wanted, int reached) {
        return release(claim).orTimeout(ioNanos / 4, TimeUnit.NANOSECONDS).handle((released, failure) -> {
            throw wanted.tooFew("the grant of lock '" + claim.lockName() + "'", reached, failure != null);
        });
    }

    /** As {@code take-free.lua} reads them. */
    private static String[] takeArgs(Claim claim, Duration wait, String channel, int length) {
        String[] args = new String[length];
        String ttl = Long.toString(Math.max(1, claim.ttl().toMillis()));
        String delay = Long.toString(claim.lockDelay().toMillis());
        args[0] = claim.holder().toString();
        args[1] = ttl;
        args[2] = delay;
        args[3] = Integer.toString(claim.span());
        args[4] = Replies.mode(claim.mode()) + " " + ttl + " " + delay + " " + Words.encode(claim.clientId()) + " "
                + Words.encode(claim.label());
        args[5] = (wait.isNegative() ? "-1" : millis(wait)) + " " + claim.permits() + " " + channel;
        return args;
    }

    static String millis(Duration wait) {
        boolean endless = wait.toSeconds() > LONGEST_WAIT_MILLIS / 1000;
        // Rounded up: the store must not give up a place before its waiter does.
        return Long.toString(endless ? LONGEST_WAIT_MILLIS : Math.max(0, (wait.toNanos() + 999_999) / 1_000_000));
    }
}
