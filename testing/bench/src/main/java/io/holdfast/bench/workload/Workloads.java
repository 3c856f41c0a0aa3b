package io.holdfast.bench.workload;

import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/** The workloads on the class path. */
public final class Workloads {
    private Workloads() {}

    public static List<Workload> all() {
        Stream<Workload> single = ServiceLoader.load(Workload.class).stream().map(ServiceLoader.Provider::get);
        Stream<Workload> families =
                ServiceLoader.load(WorkloadFamily.class).stream().flatMap(family -> family.get().workloads().stream());
        return Stream.concat(single, families)
                .sorted(Comparator.comparing(Workload::id))
                .toList();
    }
}
