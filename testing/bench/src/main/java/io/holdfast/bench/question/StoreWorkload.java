package io.holdfast.bench.question;

import io.holdfast.bench.library.LockLibrary;
import io.holdfast.bench.store.RunningStore;
import io.holdfast.bench.store.StoreUnderTest;
import io.holdfast.bench.workload.Contestant;
import io.holdfast.bench.workload.Kind;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import io.holdfast.bench.workload.Workload;
import java.util.ArrayList;
import java.util.List;

/**
 * One {@link Question} asked of one store.
 *
 * @param id of the workload
 * @param store where they lock
 * @param asked the question
 * @param libraries the libraries that are measured
 * @param floors contestants that are measured in another way
 */
public record StoreWorkload(
        String id, StoreUnderTest store, Question asked, List<LockLibrary> libraries, List<Contestant> floors)
        implements Workload {
    /**
     * A question that every store is asked. There is no floor: nothing less than a lock has waiters, renewals or a holder
     * that dies.
     */
    public static StoreWorkload of(StoreUnderTest store, Question asked) {
        List<LockLibrary> libraries = asked.libraries(store).stream()
                .filter(library -> !library.absent().contains(asked.id()))
                .toList();
        return new StoreWorkload(store.name() + "-" + asked.id(), store, asked, libraries, List.of());
    }

    @Override
    public String question() {
        return store.name() + ": " + asked.text(store);
    }

    @Override
    public List<Contestant> contestants() {
        List<Contestant> all = new ArrayList<>(floors);
        libraries.forEach(library -> all.add(new Trial(store, asked, library)));
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

    /** One library over a store of its own. */
    private record Trial(StoreUnderTest store, Question asked, LockLibrary library) implements Contestant {
        @Override
        public String name() {
            return library.title();
        }

        @Override
        public Kind kind() {
            return library.kind();
        }

        @Override
        public Measurement measure(Run run) throws Exception {
            try (RunningStore running = store.start().get()) {
                return asked.measure(run, store, library, running);
            }
        }
    }
}
