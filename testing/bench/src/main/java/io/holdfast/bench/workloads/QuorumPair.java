package io.holdfast.bench.workloads;

import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The price of an uncontended lock on a majority of servers. */
final class QuorumPair implements Question {
    static final String ACQUIRE = "acquire p50 µs";
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
    public Measurement measure(Run run, StoreUnderTest store, Entrant entrant, RunningStore running) throws Exception {
        try (LockClient client = entrant.open(running.url(), TTL)) {
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
