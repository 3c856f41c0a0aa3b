package io.holdfast.etcd;

import io.etcd.jetcd.Client;
import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.Sequencer;
import io.holdfast.etcd.claim.Claims;
import io.holdfast.etcd.client.EtcdCalls;
import io.holdfast.etcd.line.KeySpace;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Exchanged;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.MarkResult;
import io.holdfast.spi.MarkingStore;
import io.holdfast.spi.QueueingStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreInfo;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Locks in etcd. A claim is a key on an etcd lease; its create revision decides its place in line and its token, and
 * the first claim in line holds the lock. See {@code docs/stores/etcd.md}.
 */
public final class EtcdLockStore implements QueueingStore, MarkingStore {
    /**
     * etcd's leases last 2 s at least, but a live client ends its claims by its own clock (promise 3 holds from here).
     */
    private static final Duration SHORTEST_TTL = Duration.ofSeconds(1);

    private static final Duration LONGEST_TTL = Duration.ofDays(365);

    private final EtcdCalls calls;
    private final EtcdConfig config;
    private final KeySpace keys;
    private final StoreInfo info;
    private final Inspection inspection;
    private final EtcdMarks marks;
    private volatile @Nullable Claims claims;

    EtcdLockStore(EtcdCalls calls, EtcdConfig config) {
        this.calls = calls;
        this.config = config;
        this.keys = new KeySpace(config.namespace());
        this.info = StoreInfo.of("etcd", calls.where())
                .withTtl(SHORTEST_TTL, LONGEST_TTL)
                .withIoTimeout(config.ioTimeout());
        this.inspection = new Inspection(calls, keys, config.tokens());
        this.marks = new EtcdMarks(calls, keys);
    }

    /**
     * Over a client that is open already and that the caller closes.
     *
     * @param client the client; its user, TLS and namespace stay as they are
     * @param namespace separates applications that share one etcd; empty for none
     */
    public static EtcdLockStore over(Client client, String namespace) {
        EtcdConfig usual = EtcdConfig.DEFAULTS;
        return new EtcdLockStore(
                new EtcdCalls(client, false, "etcd:", usual.ioTimeout()),
                new EtcdConfig(namespace, usual.ioTimeout(), usual.tokens()));
    }

    @Override
    public StoreInfo info() {
        return info;
    }

    @Override
    public void attach(StoreContext context) {
        claims = new Claims(calls, context, keys, config.tokens());
    }

    @Override
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        return claims().tryAcquire(claim);
    }

    @Override
    public CompletionStage<EnqueueResult> enqueue(Claim claim, Duration wait) {
        return claims().enqueue(claim, wait);
    }

    @Override
    public CompletionStage<Exchanged> exchange(Claim held, Claim next, Duration wait) {
        return claims().exchange(held, next, wait);
    }

    @Override
    public CompletionStage<List<RenewResult>> renew(List<Claim> renewed) {
        return claims().renew(renewed);
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        return claims().release(claim);
    }

    @Override
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        return inspection.inspect(query);
    }

    @Override
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        return inspection.revoke(lockName, how);
    }

    @Override
    public CompletionStage<MarkResult> admit(String resource, Sequencer sequencer) {
        return marks.admit(resource, sequencer);
    }

    /** Cancels the claims that wait and ends the etcd leases that no claim uses. Grants stay until they expire. */
    @Override
    public void close() {
        Claims attached = claims;
        if (attached != null) {
            attached.close();
        }
        calls.close();
    }

    private Claims claims() {
        Claims attached = claims;
        if (attached == null) {
            throw new IllegalStateException("this store is not attached to a client: call attach first");
        }
        return attached;
    }
}
