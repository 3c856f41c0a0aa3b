package io.holdfast.guard.etcd;

import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.holdfast.LockNames;
import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.fence.Guard;
import io.holdfast.fence.Marks;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Guards data that is kept in etcd. The marks are keys beside the data, so the user's own transaction can compare them:
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
 * <p>The marks are those of {@code holdfast admit} on the same etcd and namespace. They have no lease and stay when the
 * data is deleted (U19). Thread-safe. Verbs wait for etcd, for 2 s at most, and fail with {@link
 * io.holdfast.StoreUnavailableException}.
 */
public final class EtcdGuard implements Guard {
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final KV kv;
    private final String resource;
    private final String lockName;
    private final MarkKeys keys;
    private final byte @Nullable [] signingKey;
    private final AtomicLong refusals = new AtomicLong();

    private EtcdGuard(KV kv, String resource, String lockName, MarkKeys keys, byte @Nullable [] signingKey) {
        this.kv = kv;
        this.resource = resource;
        this.lockName = lockName;
        this.keys = keys;
        this.signingKey = signingKey;
    }

    /**
     * Guards {@code resource}, which the lock {@code lockName} protects.
     *
     * @param client a client of the etcd that has the data; the caller closes it
     * @param resource what is guarded
     * @param lockName the lock
     */
    public static EtcdGuard of(Client client, String resource, String lockName) {
        return new EtcdGuard(
                client.getKVClient(),
                LockNames.check("resource", resource),
                LockNames.check(lockName),
                MarkKeys.of("", resource),
                null);
    }

    /** With the marks in a namespace, as the store's {@code namespace=} puts them. */
    public EtcdGuard inNamespace(String namespace) {
        return new EtcdGuard(kv, resource, lockName, MarkKeys.of(namespace, resource), signingKey);
    }

    /** Across a trust boundary: only sequencers that are signed with {@code key} are admitted. */
    public EtcdGuard signedWith(byte[] key) {
        return new EtcdGuard(kv, resource, lockName, keys, key.clone());
    }

    @Override
    public String resource() {
        return resource;
    }

    @Override
    public void admit(Sequencer sequencer) {
        check(sequencer);
        GuardCalls calls = new GuardCalls(kv, TIMEOUT_NANOS);
        boolean marked = false;
        while (!marked) {
            StoredMarks stored = read(calls);
            Marks next = admitted(stored, sequencer);
            marked = calls.txn(stored.unchanged(), stored.puts(lockName, next)).isSucceeded();
        }
    }

    /**
     * A condition for a transaction of your own: true as long as no token was admitted that makes this one stale. It is
     * false also if this one was never admitted, so call {@link #admit} first.
     */
    public Cmp stillAdmitted(Sequencer sequencer) {
        check(sequencer);
        Cmp.Op how = sequencer.mode() == Mode.EXCLUSIVE ? Cmp.Op.EQUAL : Cmp.Op.LESS;
        return new Cmp(keys.against(sequencer.mode()), how, CmpTarget.value(MarkKeys.token(sequencer.token())));
    }

    @Override
    public Marks marks() {
        return read(new GuardCalls(kv, TIMEOUT_NANOS)).marks();
    }

    @Override
    public long refusals() {
        return refusals.get();
    }

    private StoredMarks read(GuardCalls calls) {
        return StoredMarks.of(
                keys, calls.txn(new Cmp[0], StoredMarks.reads(keys)).getGetResponses());
    }

    /** The marks after this sequencer was admitted; throws if these marks refuse it. */
    private Marks admitted(StoredMarks stored, Sequencer sequencer) {
        String guardedBy = stored.lockName().orElse(lockName);
        if (!guardedBy.equals(lockName)) {
            throw new IllegalArgumentException(
                    "'" + resource + "' is guarded by lock '" + guardedBy + "', not by '" + lockName + "'");
        }
        Marks marks = stored.marks();
        if (!marks.admits(sequencer.mode(), sequencer.token())) {
            refusals.incrementAndGet();
            throw new StaleTokenException(resource, lockName, marks.against(sequencer.mode()), sequencer.token());
        }
        return marks.with(sequencer.mode(), sequencer.token());
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
}
