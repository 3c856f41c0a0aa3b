package io.holdfast.bench.workloads;

import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What holding many locks costs while nothing else happens. */
final class Renewals implements Question {
    static final String ID = "renewals";
    private static final String HEAP = "heap bytes per lock";

    /** The metric of a counter. */
    static String perSecond(String counter) {
        return counter + "/s";
    }

    @Override
    public String id() {
        return ID;
    }

    @Override
    public String text(StoreUnderTest store) {
        return "5,000 locks with TTL 30 s held by one client: calls, processor time and heap of their renewal";
    }

    @Override
    public List<Entrant> entrants(StoreUnderTest store) {
        return store.countedEntrants().stream()
                .filter(entrant -> !entrant.title().equals(HoldfastEntrant.WITHOUT_PASSES.title()))
                .toList();
    }

    /** A third of the TTL is one turn of renewals: one to warm up, one to measure. */
    @Override
    public Run fullRun() {
        return new Run(Duration.ofSeconds(10), Duration.ofSeconds(10), false);
    }

    @Override
    public Duration expected(Run run) {
        return run.warmUp().plus(run.measure()).plusSeconds(3);
    }

    @Override
    public int rounds(int wanted) {
        return 1;
    }

    @Override
    public Run quickRun() {
        return new Run(Duration.ofMillis(1500), Duration.ofMillis(1500), true);
    }

    @Override
    public Measurement measure(Run run, StoreUnderTest store, Entrant entrant, RunningStore running) throws Exception {
        int count = run.quick() ? 200 : 5000;
        // A quick one is long enough for a busy machine to keep.
        Duration ttl = Duration.ofSeconds(run.quick() ? 6 : 30);
        try (LockClient client = entrant.open(running.url(), ttl)) {
            // What a library loads and starts with its first lock is not the price of a lock.
            Crowd.hold(client, "first", 0, 1).get(0).isHeld();
            long heapBefore = JvmMeter.usedHeap();
            List<LockClient.Handle> handles = Crowd.hold(client, "held", 0, count);
            TimeUnit.NANOSECONDS.sleep(run.warmUp().toNanos());
            double heap = (double) (JvmMeter.usedHeap() - heapBefore) / count;

            Load before = Load.now(running);
            TimeUnit.NANOSECONDS.sleep(run.measure().toNanos());
            Load after = Load.now(running);
            long lost = handles.stream().filter(handle -> !handle.isHeld()).count();
            Measurement all = after.countsSince(
                    before, after.secondsSince(before), Renewals::perSecond, Measurement.of(HEAP, heap));
            return after.busySince(before, running, all)
                    .with(lost == 0 ? List.of() : List.of(lost + " of " + count + " locks were lost or in doubt"));
        }
    }
}
