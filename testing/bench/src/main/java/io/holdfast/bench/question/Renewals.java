package io.holdfast.bench.question;

import io.holdfast.bench.library.HoldfastLibrary;
import io.holdfast.bench.library.LockLibrary;
import io.holdfast.bench.library.QuestionIds;
import io.holdfast.bench.measure.JvmMeter;
import io.holdfast.bench.measure.LockClient;
import io.holdfast.bench.measure.ManyThreads;
import io.holdfast.bench.store.RunningStore;
import io.holdfast.bench.store.StoreLoad;
import io.holdfast.bench.store.StoreUnderTest;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What holding many locks costs while nothing else happens. */
public final class Renewals implements Question {
    private static final String HEAP = "heap bytes per lock";

    /** The metric of a counter. */
    public static String perSecond(String counter) {
        return counter + "/s";
    }

    @Override
    public String id() {
        return QuestionIds.RENEWALS;
    }

    @Override
    public String text(StoreUnderTest store) {
        return "5,000 locks with TTL 30 s held by one client: calls, processor time and heap of their renewal";
    }

    @Override
    public List<LockLibrary> libraries(StoreUnderTest store) {
        return store.countedLibraries().stream()
                .filter(library -> !library.title().equals(HoldfastLibrary.WITHOUT_PASSES.title()))
                .toList();
    }

    /** A third of the TTL is one turn of renewals: one to warm up, one to measure. */
    @Override
    public Run fullRun() {
        return new Run(Duration.ofSeconds(10), Duration.ofSeconds(10), false);
    }

    @Override
    public Run quickRun() {
        return new Run(Duration.ofMillis(1500), Duration.ofMillis(1500), true);
    }

    @Override
    public Measurement measure(Run run, StoreUnderTest store, LockLibrary library, RunningStore running)
            throws Exception {
        int count = run.quick() ? 200 : 5000;
        // A quick one is long enough for a busy machine to keep.
        Duration ttl = Duration.ofSeconds(run.quick() ? 6 : 30);
        try (LockClient client = library.open(running.url(), ttl)) {
            // What a library loads and starts with its first lock is not the price of a lock.
            ManyThreads.hold(client, "first", 0, 1).get(0).isHeld();
            long heapBefore = JvmMeter.usedHeap();
            List<LockClient.Handle> handles = ManyThreads.hold(client, "held", 0, count);
            TimeUnit.NANOSECONDS.sleep(run.warmUp().toNanos());
            double heap = (double) (JvmMeter.usedHeap() - heapBefore) / count;

            StoreLoad before = StoreLoad.now(running);
            TimeUnit.NANOSECONDS.sleep(run.measure().toNanos());
            StoreLoad after = StoreLoad.now(running);
            long lost = handles.stream().filter(handle -> !handle.isHeld()).count();
            Measurement all = after.countsSince(
                    before, after.secondsSince(before), Renewals::perSecond, Measurement.of(HEAP, heap));
            return after.busySince(before, running, all)
                    .with(lost == 0 ? List.of() : List.of(lost + " of " + count + " locks were lost or in doubt"));
        }
    }
}
