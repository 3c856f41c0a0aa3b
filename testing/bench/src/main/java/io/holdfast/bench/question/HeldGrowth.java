package io.holdfast.bench.question;

import io.holdfast.bench.library.LockLibrary;
import io.holdfast.bench.library.QuestionIds;
import io.holdfast.bench.measure.Growth;
import io.holdfast.bench.measure.LockClient;
import io.holdfast.bench.measure.ManyThreads;
import io.holdfast.bench.measure.RepeatedWork;
import io.holdfast.bench.store.RunningStore;
import io.holdfast.bench.store.StoreUnderTest;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a pair of lock and unlock costs when ever more other names are held. */
public final class HeldGrowth implements GrowthQuestion {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final String MICROS = "µs/pair";
    private static final int BATCH = 50;

    @Override
    public String id() {
        return QuestionIds.HELD_GROWTH;
    }

    @Override
    public String text(StoreUnderTest store) {
        return "1 to 10,000 locks held by one client: the cost of locking and unlocking one more";
    }

    @Override
    public String cost() {
        return MICROS;
    }

    @Override
    public List<Integer> sizes(boolean quick) {
        return quick ? List.of(1, 50) : List.of(1, 100, 10_000);
    }

    @Override
    public Measurement measure(Run run, StoreUnderTest store, LockLibrary library, RunningStore running)
            throws Exception {
        Growth times = new Growth(MICROS);
        List<LockClient.Handle> held = new ArrayList<>();
        try (LockClient client = library.open(running.url(), TTL)) {
            LockClient.Handle lock = client.handle("one more");
            for (int size : sizes(run.quick())) {
                held.addAll(ManyThreads.hold(client, "held", held.size(), size - held.size()));
                Measurement pairs = RepeatedWork.measure(run, RepeatedWork.pairs(lock, BATCH));
                times.add(size, pairs.values().getOrDefault(RepeatedWork.NANOS, 0.0) / 1e3);
            }
            long lost = held.stream().filter(handle -> !handle.isHeld()).count();
            return times.measurement()
                    .with(
                            lost == 0
                                    ? List.of()
                                    : List.of(lost + " of " + held.size() + " locks were lost or in doubt"));
        }
    }
}
