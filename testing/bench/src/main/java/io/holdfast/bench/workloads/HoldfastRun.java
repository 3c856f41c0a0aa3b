package io.holdfast.bench.workloads;

import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The launcher of this repository with a store of its own. It finds its JVM the way {@code testing/bench/run} does, and
 * is not told one: it would build itself anew for another.
 */
record HoldfastRun(String name) implements Contestant {
    @Override
    public Optional<String> obstacle() {
        return missing();
    }

    @Override
    public Measurement measure(Run run) throws Exception {
        try (TemporaryFolder folder = new TemporaryFolder()) {
            List<String> command = List.of(launcher().toString(), "run", "x", "--", "true");
            return new CommandTimes(command, environment(folder.path()), folder.path()).measure(run);
        }
    }

    /** Why the launcher cannot be used, if so. */
    static Optional<String> missing() {
        return Files.isExecutable(launcher()) ? Optional.empty() : Optional.of("there is no launcher " + launcher());
    }

    /** A store in this folder. */
    static Map<String, String> environment(Path folder) {
        return Map.of("HOLDFAST_STORE", "sqlite:" + folder.resolve("locks.db"));
    }

    static Path launcher() {
        return Path.of(System.getProperty("holdfast.bench.root", "."), "holdfast")
                .toAbsolutePath()
                .normalize();
    }
}
