package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Kind;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.bench.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One {@link Question} asked of one store.
 *
 * @param id of the workload
 * @param store where they lock
 * @param asked the question
 * @param entrants who is asked
 * @param floors who is measured beside them, in another way
 * @param baseline with whom the others are compared; empty for nobody
 * @param bars what is to be reached
 */
record StoreWorkload(
        String id,
        StoreUnderTest store,
        Question asked,
        List<Entrant> entrants,
        List<Contestant> floors,
        String baseline,
        List<Bar> bars)
        implements Workload {
    /** What it takes to start a JVM and a server and to end them, about. */
    private static final Duration AROUND = Duration.ofSeconds(2);

    /**
     * A question that every store is asked. Compared is with the first peer. There is no floor: nothing less than a lock
     * has waiters, renewals or a holder that dies.
     */
    static StoreWorkload of(StoreUnderTest store, Question asked) {
        List<Entrant> entrants = asked.entrants(store).stream()
                .filter(entrant -> !entrant.absent().contains(asked.id()))
                .toList();
        List<Bar> bars = new ArrayList<>(asked.bars(store));
        bars.addAll(store.bars().getOrDefault(asked.id(), List.of()));
        return new StoreWorkload(
                store.name() + "-" + asked.id(),
                store,
                asked,
                entrants,
                List.of(),
                entrants.stream()
                        .filter(entrant -> entrant.kind() == Kind.PEER)
                        .findFirst()
                        .map(Entrant::title)
                        .orElse(""),
                bars);
    }

    @Override
    public String question() {
        return store.name() + ": " + asked.text(store);
    }

    @Override
    public List<Contestant> contestants() {
        List<Contestant> all = new ArrayList<>(floors);
        entrants.forEach(entrant -> all.add(new Trial(store, asked, entrant)));
        return all;
    }

    @Override
    public Run fullRun() {
        return asked.fullRun();
    }

    @Override
    public Run quickRun() {
        return asked.quickRun();
    }

    @Override
    public Duration expected(Run run) {
        return asked.expected(run).plus(AROUND);
    }

    @Override
    public int rounds(int wanted) {
        return bars.isEmpty() ? asked.rounds(wanted) : wanted;
    }

    /** One entrant over a store of its own. */
    private record Trial(StoreUnderTest store, Question asked, Entrant entrant) implements Contestant {
        @Override
        public String name() {
            return entrant.title();
        }

        @Override
        public Kind kind() {
            return entrant.kind();
        }

        @Override
        public Measurement measure(Run run) throws Exception {
            try (RunningStore running = store.start().get()) {
                return asked.measure(run, store, entrant, running);
            }
        }
    }
}
