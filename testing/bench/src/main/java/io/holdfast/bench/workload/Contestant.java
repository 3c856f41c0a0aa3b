package io.holdfast.bench.workload;

import java.util.List;
import java.util.Optional;

/** One way to do the work of a {@link Workload}. Created anew in the JVM that measures it. */
public interface Contestant {
    /** Its name within the workload. */
    String name();

    /** What it is to the question; by default what its name says, see {@link Kind}. */
    default Kind kind() {
        return Kind.of(name());
    }

    /** Warms up, measures, and checks what it measured. Runs once, in a JVM of its own. */
    Measurement measure(Run run) throws Exception;

    /** Arguments for its JVM beside the class path. */
    default List<String> jvmArguments() {
        return List.of();
    }

    /** Why it cannot take part on this machine, if so. Asked in the JVM of the harness. */
    default Optional<String> obstacle() {
        return Optional.empty();
    }
}
