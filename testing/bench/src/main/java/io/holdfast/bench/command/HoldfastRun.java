package io.holdfast.bench.command;

import io.holdfast.bench.measure.TemporaryFolder;
import io.holdfast.bench.workload.Contestant;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The launcher of this repository with a store of its own. It finds its JVM the way {@code testing/bench/run} does, and
 * is not told one: it would build itself anew for another.
 */
public record HoldfastRun(String name) implements Contestant {
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
    public static Optional<String> missing() {
        return Files.isExecutable(launcher()) ? Optional.empty() : Optional.of("there is no launcher " + launcher());
    }

    /** A store in this folder. */
    public static Map<String, String> environment(Path folder) {
        return Map.of("HOLDFAST_STORE", "sqlite:" + folder.resolve("locks.db"));
    }

    public static Path launcher() {
        return Path.of(System.getProperty("holdfast.bench.root", "."), "holdfast")
                .toAbsolutePath()
                .normalize();
    }
}
