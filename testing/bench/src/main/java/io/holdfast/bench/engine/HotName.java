package io.holdfast.bench.engine;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Ticker;
import io.holdfast.bench.measure.Contention;
import io.holdfast.bench.workload.Contestant;
import io.holdfast.bench.workload.Kind;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import io.holdfast.bench.workload.Workload;
import io.holdfast.memory.MemoryLockStore;
import io.holdfast.memory.MemorySpace;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** The local queue: threads of one client on one name, against the fair lock of the JDK. */
public final class HotName implements Workload {
    private static final int THREADS = 16;
    private static final String FAIR_LOCK = "ReentrantLock(true)";
    private static final String HOLDFAST = "holdfast";

    /** For {@link java.util.ServiceLoader}. */
    public HotName() {}

    @Override
    public String id() {
        return "hot-name";
    }

    @Override
    public String question() {
        return THREADS + " threads of one client on one hot name over the memory store, empty section";
    }

    @Override
    public List<Contestant> contestants() {
        return List.of(new FairLock(), new Client());
    }

    private static final class FairLock implements Contestant {
        @Override
        public String name() {
            return FAIR_LOCK;
        }

        @Override
        public Kind kind() {
            return Kind.FLOOR;
        }

        @Override
        public Measurement measure(Run run) throws Exception {
            ReentrantLock lock = new ReentrantLock(true);
            return new Contention(THREADS).measure(run, (section, who) -> {
                lock.lock();
                try {
                    section.pass(who);
                } finally {
                    lock.unlock();
                }
            });
        }
    }

    private static final class Client implements Contestant {
        @Override
        public String name() {
            return HOLDFAST;
        }

        @Override
        public Measurement measure(Run run) throws Exception {
            LockOptions patient = LockOptions.waitUpTo(Duration.ofMinutes(5));
            try (Holdfast client = Holdfast.builder()
                    .store(new MemoryLockStore(new MemorySpace(Ticker.system())))
                    .open()) {
                DistributedLock lock = client.mutex("hot");
                return new Contention(THREADS).measure(run, (section, who) -> {
                    try (Lease lease = lock.acquire(patient)) {
                        section.pass(who, lease.token());
                    }
                });
            }
        }
    }
}
