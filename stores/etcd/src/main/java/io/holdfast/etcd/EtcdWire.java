package io.holdfast.etcd;

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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * jetcd's calls with a time limit and with the failures of the contract. A call is sent once; only one that a server
 * refused because the login had run out is sent again.
 */
final class EtcdWire implements AutoCloseable {
    private final Client client;
    private final boolean owned;
    private final String where;
    private final KV kv;
    private final Lease lease;
    private final Watch watch;
    private final TimeLimits limits;
    private final JointTxns joint = new JointTxns(this);
    private volatile boolean closed;

    EtcdWire(Client client, boolean owned, String where) {
        this.client = client;
        this.owned = owned;
        this.where = where;
        this.kv = client.getKVClient();
        this.lease = client.getLeaseClient();
        this.watch = client.getWatchClient();
        this.limits = new TimeLimits(where, joint::hurry);
    }

    CompletableFuture<TxnResponse> txn(List<Cmp> when, List<Op> then, List<Op> otherwise, long nanos) {
        Cmp[] compares = when.toArray(Cmp[]::new);
        Op[] thens = then.toArray(Op[]::new);
        Op[] elses = otherwise.toArray(Op[]::new);
        return call(() -> kv.txn().If(compares).Then(thens).Else(elses).commit(), nanos);
    }

    /** A transaction about one lock, which may travel with those about others. */
    CompletableFuture<JointTxns.Answer> txn(String lockName, List<Cmp> when, List<Op> then, long nanos) {
        return joint.txn(lockName, when, then, nanos);
    }

    /** Fails {@code call}, with an unknown outcome, unless it is done by then. */
    void limit(CompletableFuture<?> call, long nanos) {
        limits.limit(call, nanos);
    }

    CompletableFuture<GetResponse> get(ByteSequence key, GetOption option, long nanos) {
        return call(() -> kv.get(key, option), nanos);
    }

    CompletableFuture<LeaseGrantResponse> grant(long seconds, long nanos) {
        return call(() -> lease.grant(seconds), nanos);
    }

    /** Keeps a lease alive, once. Completes with its TTL in seconds, which is 0 or less if it does not exist. */
    CompletableFuture<Long> keepAlive(long leaseId, long nanos) {
        return call(() -> lease.keepAliveOnce(leaseId).thenApply(answer -> answer.getTTL()), nanos)
                .exceptionallyCompose(failure -> Failures.leaseGone(failure)
                        ? CompletableFuture.completedFuture(0L)
                        : CompletableFuture.failedFuture(failure));
    }

    CompletableFuture<LeaseTimeToLiveResponse> timeToLive(long leaseId, boolean keys, long nanos) {
        LeaseOption option = keys ? LeaseOption.builder().withAttachedKeys().build() : LeaseOption.DEFAULT;
        return call(() -> lease.timeToLive(leaseId, option), nanos);
    }

    CompletableFuture<Boolean> revoke(long leaseId, long nanos) {
        return call(() -> lease.revoke(leaseId).thenApply(done -> true), nanos);
    }

    Watch.Watcher watch(ByteSequence key, WatchOption option, Watch.Listener listener) {
        return watch.watch(key, option, listener);
    }

    boolean isClosed() {
        return closed;
    }

    String where() {
        return where;
    }

    @Override
    public void close() {
        closed = true;
        limits.close();
        if (owned) {
            client.close();
        }
    }

    private <T> CompletableFuture<T> call(Supplier<CompletableFuture<T>> rpc, long nanos) {
        if (closed) {
            return CompletableFuture.failedFuture(new StoreUnavailableException(where + " is closed", false, null));
        }
        CompletableFuture<T> call = new CompletableFuture<>();
        limits.limit(call, nanos);
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
}
