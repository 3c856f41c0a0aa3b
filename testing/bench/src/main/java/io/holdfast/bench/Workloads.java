package io.holdfast.bench;

import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

/** The workloads on the class path. */
final class Workloads {
    private Workloads() {}

    static List<Workload> all() {
        return ServiceLoader.load(Workload.class).stream()
                .map(ServiceLoader.Provider::get)
                .sorted(Comparator.comparing(Workload::id))
                .toList();
    }
}
