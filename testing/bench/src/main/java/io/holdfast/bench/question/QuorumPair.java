package io.holdfast.bench.question;

import io.holdfast.bench.library.LockLibrary;
import io.holdfast.bench.measure.Latencies;
import io.holdfast.bench.measure.LockClient;
import io.holdfast.bench.store.RunningStore;
import io.holdfast.bench.store.StoreUnderTest;
import io.holdfast.bench.store.StoresUnderTest;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The price of an uncontended lock on a majority of servers. */
public final class QuorumPair implements Question {
    private static final Duration TTL = Duration.ofSeconds(30);

    @Override
    public String id() {
        return OwnName.ID;
    }

    @Override
    public String text(StoreUnderTest store) {
        return "1 thread, its own name on " + StoresUnderTest.NODES + " servers: lock, and lock + unlock";
    }

    @Override
    public Run fullRun() {
        return COMPILED;
    }

    @Override
    public Measurement measure(Run run, StoreUnderTest store, LockLibrary library, RunningStore running)
            throws Exception {
        try (LockClient client = library.open(running.url(), TTL)) {
            client.once();
            LockClient.Handle lock = client.handle("own");
            Latencies acquires = new Latencies();
            Latencies pairs = new Latencies();
            long warm = System.nanoTime() + run.warmUp().toNanos();
            long end = warm + run.measure().toNanos();
            while (acquires.count() == 0 || System.nanoTime() - end < 0) {
                long before = System.nanoTime();
                lock.lock();
                long held = System.nanoTime();
                lock.unlock();
                if (before - warm > 0) {
                    acquires.add(held - before);
                    pairs.add(System.nanoTime() - before);
                }
            }
            return pairs.describe("pair", acquires.describe("acquire", new Measurement(Map.of(), List.of())));
        }
    }
}
