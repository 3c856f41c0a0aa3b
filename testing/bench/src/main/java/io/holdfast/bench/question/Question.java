package io.holdfast.bench.question;

import io.holdfast.bench.library.LockLibrary;
import io.holdfast.bench.store.RunningStore;
import io.holdfast.bench.store.StoreUnderTest;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import java.time.Duration;
import java.util.List;

/** One question, asked of every store that it suits. */
public interface Question {
    /** Of what is over quickly and wants warm code. */
    Run ORDINARY = new Run(Duration.ofSeconds(3), Duration.ofSeconds(5), false);

    /**
     * Of what compares processor time: in the first ten seconds a third to a half of a client's is the compiler's, and
     * more of it the more code there is to compile (ADR 17). And of what happens less than a thousand times in a second:
     * after three seconds it would still be measured how far the compiler had got (ADR 17).
     */
    Run COMPILED = new Run(Duration.ofSeconds(12), Duration.ofSeconds(5), false);

    /** The end of the workload's id, behind the store's name. */
    String id();

    /** The question for people. */
    String text(StoreUnderTest store);

    /** Measures one library over a store of its own. */
    Measurement measure(Run run, StoreUnderTest store, LockLibrary library, RunningStore running) throws Exception;

    /** Whether it can be asked of this store. */
    default boolean suits(StoreUnderTest store) {
        return true;
    }

    /** The libraries that take part. */
    default List<LockLibrary> libraries(StoreUnderTest store) {
        return store.libraries();
    }

    /** See {@link io.holdfast.bench.workload.Workload#fullRun()}. */
    default Run fullRun() {
        return new Run(Duration.ofSeconds(2), Duration.ofSeconds(5), false);
    }

    /** See {@link io.holdfast.bench.workload.Workload#quickRun()}. */
    default Run quickRun() {
        return new Run(Duration.ofMillis(300), Duration.ofSeconds(1), true);
    }
}
