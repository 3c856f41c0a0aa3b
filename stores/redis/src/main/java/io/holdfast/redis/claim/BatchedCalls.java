package io.holdfast.redis.claim;

import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.wire.SupervisedConnection;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.support.NameBuckets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The verbs that are sent for many claims in one call: renewals, and polls for waiters. In a cluster a call has the claims
 * of one hash tag (L6). Thread-safe.
 */
public final class BatchedCalls {
    private static final int MOST = 500;

    private final LockKeys keys;
    private final SupervisedConnection connection;
    private final @Nullable Replication replication;
    private final LongSupplier clock;
    private final long ioNanos;

    /** Calls over the connections of {@code context}. */
    public BatchedCalls(CallContext context) {
        this.keys = context.keys();
        this.connection = context.connection();
        this.replication = context.replication();
        this.clock = context.clock();
        this.ioNanos = context.ioTimeout().toNanos();
    }

    /** Whether a grant counts only after WAIT (U18). */
    boolean replicates() {
        return replication != null;
    }

    /** Extends grants; answers in the order of {@code claims}. */
    public CompletableFuture<List<RenewResult>> renew(List<Claim> claims) {
        List<CompletableFuture<List<RenewResult>>> parts = new ArrayList<>();
        List<List<Integer>> places = batches(claims);
        for (List<Integer> batch : places) {
            parts.add(renewBatch(batch.stream().map(claims::get).toList()));
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

    /** The places of claims that go into one call. */
    private List<List<Integer>> batches(List<Claim> claims) {
        Map<Integer, List<Integer>> open = new LinkedHashMap<>();
        List<List<Integer>> batches = new ArrayList<>();
        for (int i = 0; i < claims.size(); i++) {
            int group = connection.sharded() ? NameBuckets.of(claims.get(i).lockName()) : 0;
            List<Integer> batch = open.get(group);
            if (batch == null || batch.size() == MOST) {
                batch = new ArrayList<>();
                open.put(group, batch);
                batches.add(batch);
            }
            batch.add(i);
        }
        return batches;
    }

    private CompletableFuture<List<RenewResult>> renewBatch(List<Claim> claims) {
        String[] scriptKeys = new String[2 * claims.size()];
        String[] args = new String[claims.size()];
        long timeout = ioNanos;
        for (int i = 0; i < claims.size(); i++) {
            Claim claim = claims.get(i);
            keys.addRenewal(claim.lockName(), scriptKeys, 2 * i);
            args[i] = claim.holder().toString();
            timeout = Math.min(timeout, claim.ttl().toNanos() / 3);
        }
        long sent = clock.getAsLong();
        return sendRenewal(scriptKeys, args, timeout).handle((reply, failure) -> {
            List<RenewResult> results = new ArrayList<>(args.length);
            String[] answers = failure == null ? reply.split("\n") : new String[0];
            for (int i = 0; i < args.length; i++) {
                results.add(failure == null ? Replies.renewed(answers[i], sent) : unanswered(failure));
            }
            return results;
        });
    }

    private CompletableFuture<String> sendRenewal(String[] scriptKeys, String[] args, long timeout) {
        if (replication == null) {
            return connection.eval(LockScripts.RENEW, scriptKeys, args, timeout);
        }
        return replication
                .connection()
                .evalAndWait(LockScripts.RENEW, scriptKeys, args, replication.replicas(), timeout)
                .thenApply(answer -> {
                    if (answer.replicas() < replication.replicas()) {
                        throw replication.tooFew("a renewal", answer.replicas(), true);
                    }
                    return answer.reply();
                });
    }

    private static RenewResult unanswered(Throwable failure) {
        return new RenewResult.Unanswered(
                failure.getCause() instanceof StoreUnavailableException known ? known : failure);
    }

    /**
     * A waiter as a poll asks after it.
     *
     * @param holder its holder id
     * @param left how much longer it waits
     */
    record Waiting(HolderId holder, Duration left) {}

    /**
     * A poll under way.
     *
     * @param holders the waiters that it asks after
     * @param replies what the store says of each, in the same order
     */
    record Poll(List<HolderId> holders, CompletableFuture<List<String>> replies) {}

    /** Asks after waiters, grouped by lock: one call for all, or one per lock if they are on several nodes. */
    List<Poll> poll(Map<String, List<Waiting>> byLock) {
        List<Poll> polls = new ArrayList<>();
        List<String> scriptKeys = new ArrayList<>();
        List<String> args = new ArrayList<>();
        List<HolderId> holders = new ArrayList<>();
        for (Map.Entry<String, List<Waiting>> lock : byLock.entrySet()) {
            scriptKeys.addAll(List.of(keys.lock(lock.getKey())));
            args.add(Integer.toString(lock.getValue().size()));
            for (Waiting waiter : lock.getValue()) {
                holders.add(waiter.holder());
                args.add(waiter.holder().toString());
                args.add(LockCalls.millis(waiter.left()));
            }
            if (connection.sharded() || scriptKeys.size() >= MOST) {
                polls.add(sendPoll(scriptKeys, args, holders));
            }
        }
        if (!scriptKeys.isEmpty()) {
            polls.add(sendPoll(scriptKeys, args, holders));
        }
        return polls;
    }

    private Poll sendPoll(List<String> scriptKeys, List<String> args, List<HolderId> holders) {
        CompletableFuture<List<String>> replies = connection
                .eval(LockScripts.POLL, scriptKeys.toArray(String[]::new), args.toArray(String[]::new), ioNanos)
                .thenApply(reply -> List.of(reply.split("\n")));
        Poll poll = new Poll(List.copyOf(holders), replies);
        scriptKeys.clear();
        args.clear();
        holders.clear();
        return poll;
    }
}
