package io.holdfast.etcd;

import io.etcd.jetcd.Client;
import io.etcd.jetcd.op.Cmp;
import io.holdfast.LockNames;
import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.fence.Guard;
import io.holdfast.fence.Marks;
import io.holdfast.spi.MarkResult;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Guards data that is kept in etcd. The marks are keys beside it, so the user's own transaction can compare them:
 *
 * <pre>{@code
 * guard.admit(lease.sequencer());                          // first: marks, before anything is read
 * long stock = read(kv);
 * boolean mine = kv.txn()
 *         .If(guard.stillAdmitted(lease.sequencer()))      // and whatever else you compare
 *         .Then(Op.put(key, value(stock - 1), PutOption.DEFAULT))
 *         .commit().get().isSucceeded();                   // false: a newer holder was admitted meanwhile
 * }</pre>
 *
 * <p>The marks are those of {@code holdfast admit} on the same etcd and namespace; they have no lease and stay when the
 * data goes (U19). Thread-safe. Verbs wait for etcd, for 2 s at most, and fail with {@link
 * io.holdfast.StoreUnavailableException}.
 */
public final class EtcdGuard implements Guard {
    private final EtcdWire wire;
    private final EtcdMarks marks;
    private final String namespace;
    private final String resource;
    private final String lockName;
    private final byte @Nullable [] signingKey;
    private final AtomicLong refusals = new AtomicLong();

    private EtcdGuard(EtcdWire wire, String namespace, String resource, String lockName, byte @Nullable [] signingKey) {
        this.wire = wire;
        this.namespace = namespace;
        this.signingKey = signingKey;
        this.resource = LockNames.check("resource", resource);
        this.lockName = LockNames.check(lockName);
        this.marks = new EtcdMarks(
                wire, new KeySpace(namespace), EtcdConfig.DEFAULTS.ioTimeout().toNanos());
    }

    /**
     * Guards {@code resource}, which the lock {@code lockName} protects.
     *
     * @param client a client of the etcd that has the data; it stays the caller's
     * @param resource what is guarded
     * @param lockName the lock
     */
    public static EtcdGuard of(Client client, String resource, String lockName) {
        return new EtcdGuard(new EtcdWire(client, false, "etcd:"), "", resource, lockName, null);
    }

    /** With the marks in a namespace, as the store's {@code namespace=} puts them. */
    public EtcdGuard inNamespace(String value) {
        return new EtcdGuard(wire, value, resource, lockName, signingKey);
    }

    /** Across a trust boundary: only sequencers signed with {@code key} are believed. */
    public EtcdGuard signedWith(byte[] key) {
        return new EtcdGuard(wire, namespace, resource, lockName, key.clone());
    }

    @Override
    public String resource() {
        return resource;
    }

    @Override
    public void admit(Sequencer sequencer) {
        check(sequencer);
        MarkResult result = answer(marks.admit(resource, sequencer));
        if (result instanceof MarkResult.Stale stale) {
            refusals.incrementAndGet();
            throw new StaleTokenException(resource, lockName, stale.seen(), sequencer.token());
        }
        if (result instanceof MarkResult.OtherLock other) {
            throw new IllegalArgumentException("'" + resource + "' is guarded by lock '" + other.lockName()
                    + "', not by '" + sequencer.lockName() + "'");
        }
    }

    /**
     * What to compare in a transaction of your own: true as long as no token was admitted that makes this one stale. It
     * is false also if this one was never admitted, so {@link #admit} comes first.
     */
    public Cmp stillAdmitted(Sequencer sequencer) {
        check(sequencer);
        return marks.stillAdmitted(resource, sequencer);
    }

    @Override
    public Marks marks() {
        return answer(marks.marks(resource));
    }

    @Override
    public long refusals() {
        return refusals.get();
    }

    private void check(Sequencer sequencer) {
        if (!sequencer.lockName().equals(lockName)) {
            throw new IllegalArgumentException("'" + resource + "' is guarded by lock '" + lockName
                    + "', but the sequencer is of '" + sequencer.lockName() + "'");
        }
        if (signingKey != null && !sequencer.isSignedWith(signingKey)) {
            throw new IllegalArgumentException(
                    "'" + resource + "' admits signed sequencers only, and this one of lock '" + lockName + "' "
                            + (sequencer.isSigned() ? "has a wrong signature" : "is not signed"));
        }
        if (sequencer.mode() == Mode.PERMIT) {
            throw new IllegalArgumentException(
                    "permits cannot be fenced: the newest token does not make the others stale");
        }
    }

    private static <T> T answer(CompletableFuture<T> call) {
        try {
            return call.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}
