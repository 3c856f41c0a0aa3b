package io.holdfast.bench.workloads;

import io.holdfast.bench.Workload;
import io.holdfast.bench.WorkloadFamily;
import java.util.List;

/** Every question of every store that it suits. */
public final class StoreWorkloads implements WorkloadFamily {
    private static final List<Question> QUESTIONS = List.of(
            new WaitersLoad(),
            new Renewals(),
            new DistinctNames(),
            new ProcessContention(),
            new DelayedMessages(),
            new Recovery(),
            new WaiterGrowth(),
            new HeldGrowth());

    /** For {@link java.util.ServiceLoader}. */
    public StoreWorkloads() {}

    @Override
    public List<Workload> workloads() {
        return StoresUnderTest.all().stream()
                .flatMap(store -> QUESTIONS.stream()
                        .filter(question -> question.suits(store))
                        .<Workload>map(question -> new StoreWorkload(store, question)))
                .toList();
    }
}
