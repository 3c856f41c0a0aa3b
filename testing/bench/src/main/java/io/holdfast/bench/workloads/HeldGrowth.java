package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a pair of lock and unlock costs when ever more other names are held. */
final class HeldGrowth implements Question {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final String MICROS = "µs/pair";
    private static final int BATCH = 50;

    @Override
    public String id() {
        return "held-growth";
    }

    @Override
    public String text(StoreUnderTest store) {
        return "1 to 10,000 locks held by one client: the cost of locking and unlocking one more";
    }

    /** For each size. */
    @Override
    public Run fullRun() {
        return new Run(Duration.ofSeconds(2), Duration.ofSeconds(4), false);
    }

    @Override
    public Run quickRun() {
        return new Run(Duration.ofMillis(200), Duration.ofMillis(500), true);
    }

    @Override
    public List<Bar> bars(StoreUnderTest store) {
        return List.of(Growth.flat(HoldfastEntrant.DEFAULT.title(), MICROS));
    }

    @Override
    public Measurement measure(Run run, StoreUnderTest store, Entrant entrant, RunningStore running) throws Exception {
        Growth times = new Growth(MICROS);
        List<LockClient.Handle> held = new ArrayList<>();
        try (LockClient client = entrant.open(running.url(), TTL)) {
            LockClient.Handle lock = client.handle("one more");
            for (int size : run.quick() ? List.of(1, 50) : List.of(1, 100, 10_000)) {
                held.addAll(Crowd.hold(client, "held", held.size(), size - held.size()));
                Measurement pairs = RepeatedWork.measure(run, new Pairs(lock));
                times.add(size, pairs.values().getOrDefault(RepeatedWork.NANOS, 0.0) / 1e3);
            }
            long lost = held.stream().filter(handle -> !handle.isHeld()).count();
            return times.measurement()
                    .with(lost == 0 ? List.of() : List.of(lost + " of " + held.size() + " locks were lost"));
        }
    }

    private record Pairs(LockClient.Handle lock) implements RepeatedWork.Batch {
        @Override
        public int size() {
            return BATCH;
        }

        @Override
        public void work(int index) throws Exception {
            lock.lock();
            lock.unlock();
        }
    }
}
