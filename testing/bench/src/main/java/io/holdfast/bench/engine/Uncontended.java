package io.holdfast.bench.engine;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Ticker;
import io.holdfast.bench.measure.RepeatedWork;
import io.holdfast.bench.workload.Contestant;
import io.holdfast.bench.workload.Kind;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import io.holdfast.bench.workload.Workload;
import io.holdfast.memory.MemoryLockStore;
import io.holdfast.memory.MemorySpace;
import java.util.List;

/** What the engine adds to the two store calls of an uncontended acquire and release. */
public final class Uncontended implements Workload {
    private static final int BATCH = 1000;
    private static final String STORE = "store";
    private static final String HOLDFAST = "holdfast";

    /** For {@link java.util.ServiceLoader}. */
    public Uncontended() {}

    @Override
    public String id() {
        return "uncontended";
    }

    @Override
    public String question() {
        return "one uncontended acquire + release over the memory store, against tryAcquire + release of the store itself";
    }

    @Override
    public List<Contestant> contestants() {
        return List.of(new Store(), new Client());
    }

    private static final class Store implements Contestant {
        @Override
        public String name() {
            return STORE;
        }

        @Override
        public Kind kind() {
            return Kind.FLOOR;
        }

        @Override
        public Measurement measure(Run run) throws Exception {
            try (RawStore store = new RawStore(new MemoryLockStore(new MemorySpace(Ticker.system())), BATCH)) {
                return RepeatedWork.measure(run, store);
            }
        }
    }

    private static final class Client implements Contestant {
        @Override
        public String name() {
            return HOLDFAST;
        }

        @Override
        public Measurement measure(Run run) throws Exception {
            try (Holdfast client = Holdfast.builder()
                    .store(new MemoryLockStore(new MemorySpace(Ticker.system())))
                    .open()) {
                return RepeatedWork.measure(run, new LockPairs(client.mutex("pair"), BATCH));
            }
        }
    }

    /** Acquires and releases. */
    public record LockPairs(DistributedLock lock, int size) implements RepeatedWork.Batch {
        @Override
        public void work(int index) throws Exception {
            Lease lease = lock.acquire();
            lease.close();
        }
    }
}
