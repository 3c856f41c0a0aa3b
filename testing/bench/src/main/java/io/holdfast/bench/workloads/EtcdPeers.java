package io.holdfast.bench.workloads;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Who takes part. */
enum EtcdPeers {
    /** A transaction that puts the key if it is absent, and a delete: no token, no queue, no renewal, no waiting. */
    RAW("raw jetcd"),
    /** Ours. */
    HOLDFAST("holdfast"),
    /** jetcd's lock on a lease that lives as long as the handle: without one per thread it does not exclude. */
    JETCD("jetcd Lock"),
    /** jetcd's lock on a lease that is granted before and revoked after, as its documentation shows. */
    JETCD_LEASE("jetcd Lock, a lease per pair");

    private static final long TTL_SECONDS = 120;

    private final String title;

    EtcdPeers(String title) {
        this.title = title;
    }

    /** Its name in the report. */
    String title() {
        return title;
    }

    /** A client of the server at this address. */
    EtcdPeer open(String address) {
        return this == HOLDFAST ? holdfast(address) : jetcd(address);
    }

    private static EtcdPeer holdfast(String address) {
        Holdfast client = Holdfast.open("etcd://" + address);
        LockOptions patient = LockOptions.waitUpTo(Duration.ofMinutes(5));
        return new EtcdPeer() {
            @Override
            public Handle handle(String name) {
                DistributedLock lock = client.mutex(name);
                return new Handle() {
                    private @Nullable Lease lease;

                    @Override
                    public long lock() throws InterruptedException {
                        Lease taken = lock.acquire(patient);
                        lease = taken;
                        return taken.token();
                    }

                    @Override
                    public void unlock() {
                        Objects.requireNonNull(lease).close();
                    }
                };
            }

            @Override
            public void close() {
                client.close();
            }
        };
    }

    private EtcdPeer jetcd(String address) {
        Client client = Client.builder().endpoints("http://" + address).build();
        return new EtcdPeer() {
            @Override
            public Handle handle(String name) throws Exception {
                ByteSequence key = ByteSequence.from(name, StandardCharsets.UTF_8);
                return switch (EtcdPeers.this) {
                    case RAW -> new RawHandle(client, key, grant(client));
                    case JETCD -> new LockHandle(client, key, grant(client));
                    default -> new LockHandle(client, key, 0);
                };
            }

            @Override
            public void close() {
                client.close();
            }
        };
    }

    /** A lease that outlives the measurement. */
    private static long grant(Client client) throws Exception {
        return client.getLeaseClient().grant(TTL_SECONDS).get().getID();
    }

    private static final class RawHandle implements EtcdPeer.Handle {
        private final Client client;
        private final ByteSequence key;
        private final PutOption onLease;

        RawHandle(Client client, ByteSequence key, long lease) {
            this.client = client;
            this.key = key;
            this.onLease = PutOption.builder().withLeaseId(lease).build();
        }

        @Override
        public long lock() throws Exception {
            boolean created = client.getKVClient()
                    .txn()
                    .If(new Cmp(key, Cmp.Op.EQUAL, CmpTarget.createRevision(0)))
                    .Then(Op.put(key, key, onLease))
                    .commit()
                    .get()
                    .isSucceeded();
            if (!created) {
                throw new IllegalStateException("somebody else has " + key);
            }
            return 0;
        }

        @Override
        public void unlock() throws Exception {
            client.getKVClient().delete(key).get();
        }
    }

    private static final class LockHandle implements EtcdPeer.Handle {
        private final Client client;
        private final ByteSequence name;
        private final long kept;
        private long lease;
        private ByteSequence key = ByteSequence.EMPTY;

        /** {@code kept} is the lease to use, or 0 for one per pair. */
        LockHandle(Client client, ByteSequence name, long kept) {
            this.client = client;
            this.name = name;
            this.kept = kept;
        }

        @Override
        public long lock() throws Exception {
            lease = kept == 0 ? grant(client) : kept;
            key = client.getLockClient().lock(name, lease).get().getKey();
            return 0;
        }

        @Override
        public void unlock() throws Exception {
            client.getLockClient().unlock(key).get();
            if (kept == 0) {
                client.getLeaseClient().revoke(lease).get();
            }
        }
    }
}
