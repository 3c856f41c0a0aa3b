package io.holdfast.bench.engine;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.Ticker;
import io.holdfast.bench.measure.JvmMeter;
import io.holdfast.bench.measure.TemporaryFolder;
import io.holdfast.bench.workload.Contestant;
import io.holdfast.bench.workload.Kind;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import io.holdfast.bench.workload.Workload;
import io.holdfast.memory.MemoryLockStore;
import io.holdfast.memory.MemorySpace;
import io.holdfast.spi.LockStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What it costs to hold many leases: store calls, processor time, heap. */
public final class ManyLeases implements Workload {
    private static final String MOST_CALLS = "store calls per tick (most)";
    private static final String CALLS = "store calls/s";
    private static final String CORE = "% of one core";
    private static final String HEAP = "heap bytes per lease";

    /** For {@link java.util.ServiceLoader}. */
    public ManyLeases() {}

    @Override
    public String id() {
        return "many-leases";
    }

    @Override
    public String question() {
        return "10,000 leases with TTL 30 s held by one client over memory and over SQLite";
    }

    @Override
    public List<Contestant> contestants() {
        return List.of(
                new Holder("memory", folder -> new MemoryLockStore(new MemorySpace(Ticker.system()))),
                new Holder("sqlite", folder -> SqliteFile.open(folder.resolve("locks.db"))));
    }

    /** A third of the TTL is one turn of renewals: one for the keeper's code to be compiled, two to measure. */
    @Override
    public Run fullRun() {
        return new Run(Duration.ofSeconds(10), Duration.ofSeconds(20), false);
    }

    /** With 500 leases of 6 s, which a busy machine keeps too. */
    @Override
    public Run quickRun() {
        return new Run(Duration.ofMillis(1500), Duration.ofMillis(1500), true);
    }

    /** Opens a store that may keep its files in a folder of its own. */
    @FunctionalInterface
    public interface Opening {
        /** Does it. */
        LockStore open(Path folder);
    }

    /** Holds the leases over one store. */
    public record Holder(String name, Opening opening) implements Contestant {
        @Override
        public Kind kind() {
            return Kind.HOLDFAST;
        }

        @Override
        public Measurement measure(Run run) throws Exception {
            try (TemporaryFolder folder = new TemporaryFolder();
                    TickCount ticks = new TickCount();
                    Holdfast client = Holdfast.builder()
                            .store(new CountedStore(opening.open(folder.path()), ticks))
                            .scheduler(ticks)
                            .open()) {
                return hold(client, ticks, run);
            }
        }

        private static Measurement hold(Holdfast client, TickCount ticks, Run run) throws Exception {
            int count = run.quick() ? 500 : 10_000;
            LockOptions options = LockOptions.defaults().ttl(Duration.ofMillis(run.quick() ? 6000 : 30_000));
            // One pair first: what the client loads and starts with its first lease is not the price of a lease.
            client.mutex("first").acquire(options).close();
            long heapBefore = JvmMeter.usedHeap();
            List<Lease> leases = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                leases.add(client.mutex("lease-" + i).acquire(options));
            }
            TimeUnit.NANOSECONDS.sleep(run.warmUp().toNanos());
            double heap = (double) (JvmMeter.usedHeap() - heapBefore) / count;

            ticks.reset();
            long cpuBefore = JvmMeter.cpuNanos();
            long before = System.nanoTime();
            TimeUnit.NANOSECONDS.sleep(run.measure().toNanos());
            double nanos = System.nanoTime() - before;
            double cpu = JvmMeter.cpuNanos() - cpuBefore;
            TickCount.Counts counts = ticks.counts();

            List<String> lost = leases.stream()
                    .filter(lease -> lease.state() != LeaseState.HELD)
                    .limit(3)
                    .map(lease -> lease.lockName() + " is " + lease.state() + " after " + run.measure())
                    .toList();
            leases.forEach(Lease::close);
            return Measurement.of(MOST_CALLS, (double) counts.mostCalls())
                    .with(CALLS, counts.calls() * 1e9 / nanos)
                    .with("claims per call", (double) counts.claims() / Math.max(1, counts.calls()))
                    .with(CORE, 100 * cpu / nanos)
                    .with(HEAP, heap)
                    .with(lost);
        }
    }
}
