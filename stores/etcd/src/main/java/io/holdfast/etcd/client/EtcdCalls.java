package io.holdfast.etcd.client;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.Lease;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.lease.LeaseGrantResponse;
import io.etcd.jetcd.lease.LeaseTimeToLiveResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.LeaseOption;
import io.etcd.jetcd.options.WatchOption;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.support.CallDeadlines;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * jetcd's calls, each with a deadline, failing as the store contract says.
 *
 * <p>A call is sent once. Only a call that a server refused because the login had expired is sent again. Thread-safe;
 * nothing here blocks.
 */
public final class EtcdCalls implements AutoCloseable {
    private static final long SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Client client;
    private final boolean owned;
    private final String where;
    private final long ioNanos;
    private final KV kv;
    private final Lease lease;
    private final Watch watch;
    private final BatchedTxns batched = new BatchedTxns(this);
    private final CallDeadlines<Limit> deadlines = new CallDeadlines<>(System::nanoTime, this::sweepLater, SWEEP_NANOS);
    private volatile boolean closed;

    /**
     * Calls over this client.
     *
     * @param owned whether {@link #close()} closes the client
     * @param where the store's address, for messages
     * @param ioTimeout the longest that a verb of the store takes
     */
    public EtcdCalls(Client client, boolean owned, String where, Duration ioTimeout) {
        this.client = client;
        this.owned = owned;
        this.where = where;
        this.ioNanos = ioTimeout.toNanos();
        this.kv = client.getKVClient();
        this.lease = client.getLeaseClient();
        this.watch = client.getWatchClient();
    }

    /** The deadline of a verb that begins now. */
    public Deadline deadline() {
        return Deadline.after(ioNanos);
    }

    /** The deadline of a verb that begins now and asks for a claim or a lease with this TTL: at most a third of it. */
    public Deadline deadline(Duration ttl) {
        return Deadline.after(Math.min(ioNanos, ttl.toNanos() / 3));
    }

    /** The longest that a verb of the store takes. */
    public long ioNanos() {
        return ioNanos;
    }

    /** Does {@code then} if all of {@code when} is true; a transaction of its own. */
    public CompletableFuture<TxnResponse> txn(List<Cmp> when, List<Op> then, Deadline by) {
        Cmp[] compares = when.toArray(Cmp[]::new);
        Op[] steps = then.toArray(Op[]::new);
        return call(() -> kv.txn().If(compares).Then(steps).commit(), by);
    }

    /** Several reads, of one revision. */
    public CompletableFuture<TxnResponse> read(List<Op> reads, Deadline by) {
        return txn(List.of(), reads, by);
    }

    /** A transaction about one lock; it may be sent in one call with transactions about other locks. */
    public CompletableFuture<TxnAnswer> txn(String lockName, List<Cmp> when, List<Op> then, Deadline by) {
        return batched.txn(lockName, when, then, by);
    }

    /** Reads one key or a range. */
    public CompletableFuture<GetResponse> get(ByteSequence key, GetOption option, Deadline by) {
        return call(() -> kv.get(key, option), by);
    }

    /** Asks for an etcd lease. */
    public CompletableFuture<LeaseGrantResponse> grant(long seconds, Deadline by) {
        return call(() -> lease.grant(seconds), by);
    }

    /** Keeps an etcd lease alive, once. Completes with its TTL in seconds; 0 or less if the lease does not exist. */
    public CompletableFuture<Long> keepAlive(long leaseId, Deadline by) {
        return call(() -> lease.keepAliveOnce(leaseId).thenApply(answer -> answer.getTTL()), by)
                .exceptionallyCompose(failure -> Failures.leaseGone(failure)
                        ? CompletableFuture.completedFuture(0L)
                        : CompletableFuture.failedFuture(failure));
    }

    /** What is left of an etcd lease, and the keys on it if {@code keys}. */
    public CompletableFuture<LeaseTimeToLiveResponse> timeToLive(long leaseId, boolean keys, Deadline by) {
        LeaseOption option = keys ? LeaseOption.builder().withAttachedKeys().build() : LeaseOption.DEFAULT;
        return call(() -> lease.timeToLive(leaseId, option), by);
    }

    /** Ends an etcd lease; etcd deletes every key on it. */
    public CompletableFuture<Boolean> revoke(long leaseId) {
        return call(() -> lease.revoke(leaseId).thenApply(done -> true), deadline());
    }

    /** Watches a key or a range. Has no deadline: a watch that breaks is reported to its listener. */
    public Watch.Watcher watch(ByteSequence key, WatchOption option, Watch.Listener listener) {
        return watch.watch(key, option, listener);
    }

    public boolean isClosed() {
        return closed;
    }

    /** The store's address, for messages. */
    public String where() {
        return where;
    }

    /** Fails the calls under way; closes the client if it is owned. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        deadlines.endAll();
        if (owned) {
            client.close();
        }
    }

    /** Fails {@code call}, with an unknown outcome, if it is not done by then. */
    void limit(CompletableFuture<?> call, Deadline by) {
        deadlines.add(new Limit(call, by));
    }

    private <T> CompletableFuture<T> call(Supplier<CompletableFuture<T>> rpc, Deadline by) {
        if (closed) {
            return CompletableFuture.failedFuture(new StoreUnavailableException(where + " is closed", false, null));
        }
        CompletableFuture<T> call = new CompletableFuture<>();
        limit(call, by);
        send(call, rpc, true);
        return call;
    }

    private <T> void send(CompletableFuture<T> call, Supplier<CompletableFuture<T>> rpc, boolean mayRepeat) {
        sent(rpc).whenComplete((answer, failure) -> {
            if (failure == null) {
                call.complete(answer);
            } else if (mayRepeat && !closed && Failures.loginExpired(failure)) {
                send(call, rpc, false);
            } else {
                call.completeExceptionally(Failures.of(where, failure));
            }
        });
    }

    private static <T> CompletableFuture<T> sent(Supplier<CompletableFuture<T>> rpc) {
        try {
            return rpc.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Every request that waits in the batcher has a limit, so the batcher has no timer of its own. */
    private void sweepLater(Runnable sweep, long nanos) {
        if (closed) {
            throw new RejectedExecutionException(where + " is closed");
        }
        CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, Runnable::run)
                .execute(() -> {
                    sweep.run();
                    batched.sendOverdue();
                });
    }

    private final class Limit implements CallDeadlines.Call {
        private final CompletableFuture<?> call;
        private final Deadline by;

        Limit(CompletableFuture<?> call, Deadline by) {
            this.call = call;
            this.by = by;
        }

        @Override
        public boolean isDone() {
            return call.isDone();
        }

        @Override
        public boolean endIfLate(long nowNanos) {
            boolean late = nowNanos - by.atNanos() > 0;
            if (late) {
                end(" did not answer in time");
            }
            return late;
        }

        @Override
        public void endNow() {
            end(" was closed");
        }

        private void end(String why) {
            call.completeExceptionally(new StoreUnavailableException(where + why, true, new TimeoutException()));
        }
    }
}
