package io.holdfast.bench.library;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import io.grpc.stub.StreamObserver;
import io.holdfast.bench.measure.LockClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;

/** The libraries for etcd. */
public final class EtcdLibraries implements LockLibraries {
    /** A transaction that puts the key if it is absent, and a delete: no token, no queue, no renewal, no waiting. */
    public static final LockLibrary RAW = LockLibrary.floor("raw jetcd", (url, ttl) -> {
        Client client = client(url);
        long lease = grant(client, Duration.ofMinutes(2));
        return LockClient.of(name -> raw(client, key(name), lease), client::close);
    });

    /**
     * jetcd's lock on leases that are kept alive as long as the client lives. It lets in every caller with the holder's
     * lease, so every thread has one of its own; a thread has the same for all names, which is the least it can do.
     */
    public static final LockLibrary JETCD = LockLibrary.peer("jetcd Lock", (url, ttl) -> {
        Client client = client(url);
        ThreadLocal<Long> leases = ThreadLocal.withInitial(() -> keptAlive(client, ttl));
        return LockClient.of(name -> new LockHandle(client, key(name), leases::get, kept -> {}), client::close);
    });

    /** jetcd's lock on a lease that is granted before and revoked after, as its documentation shows. */
    public static final LockLibrary JETCD_LEASE = LockLibrary.peer("jetcd Lock, a lease per pair", (url, ttl) -> {
        Client client = client(url);
        return LockClient.of(
                name -> new LockHandle(client, key(name), () -> grant(client, ttl), lease -> revoke(client, lease)),
                client::close);
    });

    /** Every lock that waits. */
    public static final List<LockLibrary> LOCKS = List.of(JETCD, HoldfastLibrary.DEFAULT, JETCD_LEASE);

    @Override
    public List<LockLibrary> all() {
        return LOCKS;
    }

    private static Client client(String url) {
        return Client.builder()
                .endpoints("http://" + url.substring(url.indexOf("://") + 3))
                .build();
    }

    private static ByteSequence key(String name) {
        return ByteSequence.from(name, StandardCharsets.UTF_8);
    }

    private static long grant(Client client, Duration ttl) {
        try {
            return client.getLeaseClient().grant(ttl.toSeconds()).get().getID();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("no lease", e);
        }
    }

    private static void revoke(Client client, long lease) throws Exception {
        client.getLeaseClient().revoke(lease).get();
    }

    private static LockClient.Handle raw(Client client, ByteSequence key, long lease) {
        PutOption onLease = PutOption.builder().withLeaseId(lease).build();
        return LockClient.Handle.of(
                () -> {
                    boolean created = client.getKVClient()
                            .txn()
                            .If(new Cmp(key, Cmp.Op.EQUAL, CmpTarget.createRevision(0)))
                            .Then(Op.put(key, key, onLease))
                            .commit()
                            .get()
                            .isSucceeded();
                    if (!created) {
                        throw new IllegalStateException("another client has " + key);
                    }
                    return 0;
                },
                () -> client.getKVClient().delete(key).get(),
                LockClient.NOT_ASKED);
    }

    private static long keptAlive(Client client, Duration ttl) {
        long lease = grant(client, ttl);
        client.getLeaseClient().keepAlive(lease, new Deaf());
        return lease;
    }

    /** What is done with a lease after the lock. */
    @FunctionalInterface
    private interface After {
        /** Does it. */
        void unlocked(long lease) throws Exception;
    }

    private static final class LockHandle implements LockClient.Handle {
        private final Client client;
        private final ByteSequence name;
        private final LongSupplier leases;
        private final After after;
        private long lease;
        private ByteSequence key = ByteSequence.EMPTY;

        LockHandle(Client client, ByteSequence name, LongSupplier leases, After after) {
            this.client = client;
            this.name = name;
            this.leases = leases;
            this.after = after;
        }

        @Override
        public long lock() throws Exception {
            lease = leases.getAsLong();
            key = client.getLockClient().lock(name, lease).get().getKey();
            return 0;
        }

        @Override
        public void unlock() throws Exception {
            client.getLockClient().unlock(key).get();
            after.unlocked(lease);
        }

        @Override
        public boolean isHeld() {
            return client.getKVClient().get(key).join().getCount() > 0;
        }
    }

    /** Ignores events: whether a lock is still held is asked at the end. */
    private static final class Deaf implements StreamObserver<LeaseKeepAliveResponse> {
        @Override
        public void onNext(LeaseKeepAliveResponse answer) {}

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onCompleted() {}
    }
}
