package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Kind;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.bench.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One {@link Question} asked of one store. */
record StoreWorkload(StoreUnderTest store, Question asked) implements Workload {
    @Override
    public String id() {
        return store.name() + "-" + asked.id();
    }

    @Override
    public String question() {
        return store.name() + ": " + asked.text(store);
    }

    @Override
    public List<Contestant> contestants() {
        return asked.entrants(store).stream()
                .<Contestant>map(entrant -> new Trial(store, asked, entrant))
                .toList();
    }

    /** The first peer. There is no floor: nothing less than a lock has waiters, renewals or a holder that dies. */
    @Override
    public String baseline() {
        return store.peers().isEmpty() ? "" : store.peers().get(0).title();
    }

    @Override
    public List<Bar> bars() {
        List<Bar> all = new ArrayList<>(asked.bars(store));
        all.addAll(store.bars().getOrDefault(asked.id(), List.of()));
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
        public Optional<String> obstacle() {
            return store.obstacle().get();
        }

        @Override
        public Measurement measure(Run run) throws Exception {
            try (RunningStore running = store.start().get()) {
                return asked.measure(run, store, entrant, running);
            }
        }
    }
}
