package io.holdfast.redis;

import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.Sequencer;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.wire.LuaScript;
import io.holdfast.redis.wire.RedisWire;
import io.holdfast.spi.Claim;
import io.holdfast.spi.MarkResult;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The lock verbs as script calls: one call each, every key declared. With {@code replicas} set, what grants or renews
 * goes over a connection of its own, on which WAIT follows it (U18).
 */
final class LockCalls {
    private static final int BATCH = 500;
    private static final long LONGEST_WAIT_MILLIS = Integer.MAX_VALUE;

    private final KeySpace keys;
    private final RedisConfig config;
    private final RedisWire wire;
    private final @Nullable RedisWire waitingWire;
    private final boolean sharded;
    private final long ioNanos;
    private final WantedNames wanted = new WantedNames();

    LockCalls(RedisConfig config, RedisWire wire, @Nullable RedisWire waitingWire, boolean sharded) {
        this.keys = new KeySpace(config.namespace());
        this.config = config;
        this.wire = wire;
        this.waitingWire = waitingWire;
        this.sharded = sharded;
        this.ioNanos = config.ioTimeout().toNanos();
    }

    KeySpace keys() {
        return keys;
    }

    /** Whether a grant counts only after WAIT. */
    boolean replicates() {
        return waitingWire != null;
    }

    /** Grants, refuses, or, if {@code wait} is given, queues; answers with the script's reply. */
    CompletableFuture<String> take(Claim claim, @Nullable Duration wait, String channel) {
        return granting(claim, Scripts.TAKE, takeArgs(claim, wait, channel, 9));
    }

    /** Gives {@code held} up and takes {@code next}; answers with the two replies. */
    CompletableFuture<String[]> exchange(Claim held, Claim next, Duration wait, String channel) {
        String[] args = takeArgs(next, wait, channel, 10);
        args[9] = held.holder().toString();
        return granting(next, Scripts.EXCHANGE, args).thenApply(reply -> reply.split("\n"));
    }

    CompletableFuture<ReleaseResult> release(Claim claim) {
        String name = claim.lockName();
        boolean handsOn = wanted.contains(name);
        return wire.eval(
                        handsOn ? Scripts.HAND_ON : Scripts.RELEASE,
                        keys.lock(name),
                        new String[] {claim.holder().toString()},
                        ioNanos,
                        handsOn)
                .thenApply(reply -> {
                    wanted.released(name, Replies.isPassedOn(reply));
                    return Replies.released(reply);
                });
    }

    /** Notes that the claim's client asks again after a pause (L21). */
    CompletableFuture<String> note(Claim claim) {
        String[] args = {claim.clientId(), millis(claim.pause())};
        return wire.eval(Scripts.NOTE, new String[] {keys.notes(claim.lockName())}, args, ioNanos);
    }

    /** The longest pause that another client has noted in the last 2 s (L21). */
    CompletableFuture<Duration> longestPause(Claim claim) {
        String[] args = {claim.clientId()};
        return wire.eval(Scripts.NOTES, new String[] {keys.notes(claim.lockName())}, args, ioNanos)
                .thenApply(reply -> Duration.ofMillis(Long.parseLong(reply)));
    }

    /** Extends grants; {@code clock} is read just before each call is sent. */
    CompletableFuture<List<RenewResult>> renew(List<Claim> claims, LongSupplier clock) {
        List<CompletableFuture<List<RenewResult>>> parts = new ArrayList<>();
        List<List<Integer>> places = new ArrayList<>();
        for (List<Integer> batch : batches(claims)) {
            places.add(batch);
            parts.add(renewBatch(batch.stream().map(claims::get).toList(), clock));
        }
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new)).thenApply(done -> {
            RenewResult[] results = new RenewResult[claims.size()];
            for (int part = 0; part < parts.size(); part++) {
                List<RenewResult> answers = parts.get(part).join();
                for (int i = 0; i < answers.size(); i++) {
                    results[places.get(part).get(i)] = answers.get(i);
                }
            }
            return Arrays.asList(results);
        });
    }

    CompletableFuture<LockStatus> inspect(String name) {
        return wire.eval(Scripts.INSPECT, keys.lock(name), new String[0], ioNanos)
                .thenApply(reply -> Replies.status(name, reply));
    }

    CompletableFuture<RevokeResult> revoke(String name, Revocation how) {
        String[] args = {how == Revocation.NOW ? "now" : "end"};
        return wire.eval(Scripts.REVOKE, keys.lock(name), args, ioNanos).thenApply(Replies::revoked);
    }

    CompletableFuture<MarkResult> admit(String resource, Sequencer sequencer) {
        String[] args = {
            Replies.mode(sequencer.mode()), Long.toString(sequencer.token()), sequencer.lockName(),
        };
        return wire.eval(Scripts.ADMIT, new String[] {keys.mark(resource)}, args, ioNanos)
                .thenApply(Replies::marked);
    }

    /** Asks after waiters, grouped by lock: one call for all, or one per lock if they live on several nodes. */
    List<Poll> poll(Map<String, List<Waiting>> byLock) {
        List<Poll> polls = new ArrayList<>();
        List<String> scriptKeys = new ArrayList<>();
        List<String> args = new ArrayList<>();
        List<String> holders = new ArrayList<>();
        for (Map.Entry<String, List<Waiting>> lock : byLock.entrySet()) {
            scriptKeys.addAll(List.of(keys.lock(lock.getKey())));
            args.add(Integer.toString(lock.getValue().size()));
            for (Waiting waiter : lock.getValue()) {
                holders.add(waiter.holder());
                args.add(waiter.holder());
                args.add(millis(waiter.left()));
            }
            if (sharded || scriptKeys.size() >= BATCH) {
                polls.add(sendPoll(scriptKeys, args, holders));
            }
        }
        if (!scriptKeys.isEmpty()) {
            polls.add(sendPoll(scriptKeys, args, holders));
        }
        return polls;
    }

    /**
     * A poll under way.
     *
     * @param holders whom it asks after
     * @param replies what the store says of each, in the same order
     */
    record Poll(List<String> holders, CompletableFuture<List<String>> replies) {}

    /**
     * A waiter as a poll asks after it.
     *
     * @param holder its holder id
     * @param left how much longer it waits
     */
    record Waiting(String holder, Duration left) {}

    /** The I/O timeout of a call about this claim: at most a third of its TTL. */
    long timeout(Claim claim) {
        return Math.min(ioNanos, claim.ttl().toNanos() / 3);
    }

    private Poll sendPoll(List<String> scriptKeys, List<String> args, List<String> holders) {
        Poll poll = new Poll(
                List.copyOf(holders),
                wire.eval(Scripts.POLL, scriptKeys.toArray(String[]::new), args.toArray(String[]::new), ioNanos)
                        .thenApply(reply -> List.of(reply.split("\n"))));
        scriptKeys.clear();
        args.clear();
        holders.clear();
        return poll;
    }

    private CompletableFuture<String> granting(Claim claim, LuaScript script, String[] args) {
        String[] scriptKeys = keys.lock(claim.lockName());
        if (waitingWire == null) {
            return wire.eval(script, scriptKeys, args, timeout(claim));
        }
        return waitingWire
                .evalAndWait(script, scriptKeys, args, config.replicas(), timeout(claim))
                .thenCompose(answer -> {
                    boolean granted =
                            answer.reply().startsWith("G ") || answer.reply().contains("\nG ");
                    return !granted || answer.replicas() >= config.replicas()
                            ? CompletableFuture.completedFuture(answer.reply())
                            : takeBack(claim, answer.replicas());
                });
    }

    /** Too few replicas have the grant: it is released, and the caller gets an error that says so. */
    private CompletionStage<String> takeBack(Claim claim, int replicas) {
        return release(claim).orTimeout(ioNanos / 4, TimeUnit.NANOSECONDS).handle((released, failure) -> {
            throw tooFew("the grant of lock '" + claim.lockName() + "'", replicas, failure != null);
        });
    }

    private StoreUnavailableException tooFew(String what, int replicas, boolean unknown) {
        return new StoreUnavailableException(
                what + " reached " + replicas + " replicas in time, but replicas=" + config.replicas()
                        + " asks for more: look at the replication of " + wire.where(),
                unknown,
                null);
    }

    private CompletableFuture<List<RenewResult>> renewBatch(List<Claim> claims, LongSupplier clock) {
        String[] scriptKeys = new String[2 * claims.size()];
        String[] args = new String[claims.size()];
        long timeout = ioNanos;
        for (int i = 0; i < claims.size(); i++) {
            Claim claim = claims.get(i);
            keys.addRenewal(claim.lockName(), scriptKeys, 2 * i);
            args[i] = claim.holder().toString();
            timeout = Math.min(timeout, timeout(claim));
        }
        long sent = clock.getAsLong();
        CompletableFuture<String> call = waitingWire == null
                ? wire.eval(Scripts.RENEW, scriptKeys, args, timeout)
                : waitingWire
                        .evalAndWait(Scripts.RENEW, scriptKeys, args, config.replicas(), timeout)
                        .thenApply(answer -> {
                            if (answer.replicas() < config.replicas()) {
                                throw tooFew("a renewal", answer.replicas(), true);
                            }
                            return answer.reply();
                        });
        return call.handle((reply, failure) -> {
            List<RenewResult> results = new ArrayList<>(args.length);
            String[] answers = failure == null ? reply.split("\n") : new String[0];
            for (int i = 0; i < args.length; i++) {
                results.add(
                        failure == null
                                ? Replies.renewed(answers[i], sent)
                                : new RenewResult.Unanswered(
                                        failure.getCause() instanceof StoreUnavailableException known
                                                ? known
                                                : failure));
            }
            return results;
        });
    }

    /** The places of claims that go into one call: at most 500, and of one hash tag if there are several nodes (L6). */
    private List<List<Integer>> batches(List<Claim> claims) {
        Map<Integer, List<Integer>> groups = new LinkedHashMap<>();
        List<List<Integer>> batches = new ArrayList<>();
        for (int i = 0; i < claims.size(); i++) {
            int group = sharded ? KeySpace.bucket(claims.get(i).lockName()) : 0;
            List<Integer> batch = groups.get(group);
            if (batch == null || batch.size() == BATCH) {
                batch = new ArrayList<>();
                groups.put(group, batch);
                batches.add(batch);
            }
            batch.add(i);
        }
        return batches;
    }

    private static String[] takeArgs(Claim claim, @Nullable Duration wait, String channel, int length) {
        String[] args = new String[length];
        args[0] = claim.holder().toString();
        args[1] = wait == null ? "-1" : millis(wait);
        args[2] = Replies.mode(claim.mode());
        args[3] = Integer.toString(claim.permits());
        args[4] = Long.toString(Math.max(1, claim.ttl().toMillis()));
        args[5] = Long.toString(claim.lockDelay().toMillis());
        args[6] = Integer.toString(claim.span());
        args[7] = Words.encode(claim.clientId()) + " " + Words.encode(claim.label());
        args[8] = channel;
        return args;
    }

    private static String millis(Duration wait) {
        boolean endless = wait.toSeconds() > LONGEST_WAIT_MILLIS / 1000;
        // Rounded up: the store must not give up a place before the one who waits in it does.
        return Long.toString(endless ? LONGEST_WAIT_MILLIS : Math.max(0, (wait.toNanos() + 999_999) / 1_000_000));
    }
}
