package io.holdfast.bench.question;

import io.holdfast.bench.library.LockLibrary;
import io.holdfast.bench.library.QuestionIds;
import io.holdfast.bench.measure.Contention;
import io.holdfast.bench.measure.Growth;
import io.holdfast.bench.measure.LockClient;
import io.holdfast.bench.store.RunningStore;
import io.holdfast.bench.store.StoreLoad;
import io.holdfast.bench.store.StoreUnderTest;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** What an acquisition costs when ever more wait for the same name. */
public final class WaiterGrowth implements GrowthQuestion {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final String MICROS = "µs/acquisition";
    private static final int CLIENTS = 4;

    @Override
    public String id() {
        return QuestionIds.WAITERS_GROWTH;
    }

    @Override
    public String text(StoreUnderTest store) {
        return "one name, 1 to 1,000 waiters beside the holder, over up to 4 clients: the cost of an acquisition";
    }

    @Override
    public String cost() {
        return MICROS;
    }

    @Override
    public List<Integer> sizes(boolean quick) {
        return quick ? List.of(1, 10) : List.of(1, 10, 100, 1000);
    }

    @Override
    public Measurement measure(Run run, StoreUnderTest store, LockLibrary library, RunningStore running)
            throws Exception {
        Growth times = new Growth(MICROS);
        Map<String, Growth> counts = new TreeMap<>();
        List<String> violations = new ArrayList<>();
        List<LockClient> clients = new ArrayList<>();
        try {
            for (int size : sizes(run.quick())) {
                while (clients.size() < Math.min(CLIENTS, size + 1)) {
                    clients.add(library.open(running.url(), TTL));
                }
                LongAdder passes = new LongAdder();
                StoreLoad before = StoreLoad.now(running);
                Measurement contended = contend(run, clients, size, passes);
                StoreLoad after = StoreLoad.now(running);
                violations.addAll(contended.violations());
                times.add(size, micros(contended, after.secondsSince(before), passes.sum()));
                if (!store.callsCountedHere()) {
                    after.counters()
                            .forEach((counter, count) -> counts.computeIfAbsent(
                                            counter, name -> new Growth(name + "/acquisition"))
                                    .add(size, (count - before.counters().getOrDefault(counter, 0.0)) / passes.sum()));
                }
            }
        } finally {
            clients.forEach(LockClient::close);
        }
        Measurement all = times.measurement();
        for (Growth count : counts.values()) {
            for (Map.Entry<String, Double> value : count.measurement().values().entrySet()) {
                all = all.with(value.getKey(), value.getValue());
            }
        }
        return all.with(violations);
    }

    /** Of the measured time; or, if no thread passed within it, of the whole time, in which every thread passed once. */
    private static double micros(Measurement contended, double seconds, long passes) {
        double rate = contended.values().getOrDefault(Contention.RATE, 0.0);
        return rate > 0 ? 1e6 / rate : seconds * 1e6 / passes;
    }

    private static Measurement contend(Run run, List<LockClient> clients, int size, LongAdder passes) throws Exception {
        LockClient.Handle[] locks = new LockClient.Handle[size + 2];
        for (int who = 1; who < locks.length; who++) {
            locks[who] = clients.get(who % clients.size()).handle("hot-" + size);
        }
        Contention.Pass pass = Contention.under(locks);
        return new Contention(size + 1).measure(run, (section, who) -> {
            pass.once(section, who);
            passes.increment();
        });
    }
}
