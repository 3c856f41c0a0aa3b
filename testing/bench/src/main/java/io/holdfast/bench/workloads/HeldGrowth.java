package io.holdfast.bench.workloads;

import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a pair of lock and unlock costs when ever more other names are held. */
final class HeldGrowth implements GrowthQuestion {
    static final String ID = "held-growth";
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final String MICROS = "µs/pair";
    private static final int BATCH = 50;

    @Override
    public String id() {
        return ID;
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
    public Measurement measure(Run run, StoreUnderTest store, Entrant entrant, RunningStore running) throws Exception {
        Growth times = new Growth(MICROS);
        List<LockClient.Handle> held = new ArrayList<>();
        try (LockClient client = entrant.open(running.url(), TTL)) {
            LockClient.Handle lock = client.handle("one more");
            for (int size : sizes(run.quick())) {
                held.addAll(Crowd.hold(client, "held", held.size(), size - held.size()));
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
