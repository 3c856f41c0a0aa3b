package io.holdfast.bench.question;

import io.holdfast.bench.library.LockLibrary;
import io.holdfast.bench.library.QuestionIds;
import io.holdfast.bench.measure.JvmMeter;
import io.holdfast.bench.measure.LockClient;
import io.holdfast.bench.measure.ManyThreads;
import io.holdfast.bench.store.RunningStore;
import io.holdfast.bench.store.StoreUnderTest;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import java.time.Duration;
import java.util.OptionalDouble;

/** What client and store keep of a name after its last release. */
public final class DistinctNames implements Question {
    private static final Duration TTL = Duration.ofSeconds(30);

    @Override
    public String id() {
        return QuestionIds.NAMES;
    }

    @Override
    public String text(StoreUnderTest store) {
        return "100,000 names locked and unlocked once each, 16 threads of one client: what stays in memory per name";
    }

    /** Its length is that of the names; the time is what the harness allows it. */
    @Override
    public Run fullRun() {
        return new Run(Duration.ZERO, Duration.ofSeconds(60), false);
    }

    @Override
    public Measurement measure(Run run, StoreUnderTest store, LockLibrary library, RunningStore running)
            throws Exception {
        int count = run.quick() ? 500 : 100_000;
        try (LockClient client = library.open(running.url(), TTL)) {
            lockAndUnlock(client, "first", count / 50);
            double heapBefore = JvmMeter.usedHeap();
            OptionalDouble storeBefore = running.memory();
            long start = System.nanoTime();
            lockAndUnlock(client, "name", count);
            double seconds = (System.nanoTime() - start) / 1e9;
            OptionalDouble storeAfter = running.memory();
            Measurement all = Measurement.of("client bytes per name", (JvmMeter.usedHeap() - heapBefore) / count);
            if (storeBefore.isPresent() && storeAfter.isPresent()) {
                double grown = storeAfter.getAsDouble() - storeBefore.getAsDouble();
                all = all.with("store bytes per name", grown / count);
            }
            return all.with("pairs/s", count / seconds);
        }
    }

    private static void lockAndUnlock(LockClient client, String prefix, int count) throws Exception {
        ManyThreads.share(count, index -> {
            LockClient.Handle handle = client.handle(prefix + "-" + index);
            handle.lock();
            handle.unlock();
        });
    }
}
