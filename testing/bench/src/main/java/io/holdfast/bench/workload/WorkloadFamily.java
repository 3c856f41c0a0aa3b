package io.holdfast.bench.workload;

import java.util.List;

/** Workloads that ask the same of several subjects. Found by {@link java.util.ServiceLoader}, as {@link Workload} is. */
public interface WorkloadFamily {
    /** All of them, each with an id of its own. */
    List<Workload> workloads();
}
