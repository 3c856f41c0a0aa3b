package io.holdfast.bench.question;

import io.holdfast.bench.store.StoresUnderTest;
import io.holdfast.bench.workload.Workload;
import io.holdfast.bench.workload.WorkloadFamily;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Every question of every store that it suits, and the comparisons that the bars of one store need. */
public final class StoreWorkloads implements WorkloadFamily {
    private static final Question FAIRNESS = new Fairness();

    private static final List<Question> QUESTIONS = List.of(
            new WaitersLoad(),
            new Renewals(),
            new DistinctNames(),
            new HotProcesses(Comparisons.PROCESSES),
            new DelayedMessages(),
            new Recovery(),
            new WaiterGrowth(),
            new HeldGrowth(),
            FAIRNESS);

    /** PostgreSQL's answers stand for the other database: it is the same code, and each of these takes minutes. */
    private static final Set<String> LEFT_OUT =
            Set.of("mariadb-delayed", "mariadb-waiters-growth", "mariadb-held-growth");

    /** For {@link java.util.ServiceLoader}. */
    public StoreWorkloads() {}

    /** Where a comparison asks the same of more contestants, it stands for the common question. */
    @Override
    public List<Workload> workloads() {
        List<Workload> compared = Comparisons.all();
        Set<String> ids = compared.stream().map(Workload::id).collect(Collectors.toSet());
        Stream<Workload> asked = StoresUnderTest.all().stream()
                .flatMap(store -> QUESTIONS.stream()
                        .filter(question -> question.suits(store))
                        .<Workload>map(question -> StoreWorkload.of(store, question)));
        Stream<Workload> fair = StoresUnderTest.otherModes().stream().map(store -> StoreWorkload.of(store, FAIRNESS));
        return Stream.concat(
                        Stream.concat(compared.stream(), fair),
                        asked.filter(workload -> !ids.contains(workload.id()) && !LEFT_OUT.contains(workload.id())))
                .toList();
    }
}
