package io.holdfast.bench.command;

import io.holdfast.bench.measure.TemporaryFolder;
import io.holdfast.bench.workload.Contestant;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import io.holdfast.bench.workload.Workload;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Shell loops that contend for one lock of one machine. No bar, as in {@link FlockStart}. */
public final class FlockHandOff implements Workload {
    /** For {@link java.util.ServiceLoader}. */
    public FlockHandOff() {}

    @Override
    public String id() {
        return "flock-hand-off";
    }

    @Override
    public String question() {
        return "one machine: " + ShellLoops.LOOPS + " shell loops that each run a command under the same lock:"
                + " ./holdfast run against flock";
    }

    @Override
    public List<Contestant> contestants() {
        return List.of(
                new Loops(
                        FlockStart.FLOCK,
                        FlockStart.noFlock(),
                        folder -> List.of("flock", folder.resolve("x").toString()),
                        folder -> Map.of()),
                new Loops(
                        FlockStart.HOLDFAST,
                        HoldfastRun.missing(),
                        folder ->
                                List.of(HoldfastRun.launcher().toString(), "run", "x", "--quiet", "--wait", "5m", "--"),
                        HoldfastRun::environment));
    }

    @Override
    public Run fullRun() {
        return new Run(Duration.ofSeconds(3), Duration.ofSeconds(10), false);
    }

    private record Loops(
            String name,
            Optional<String> obstacle,
            Function<Path, List<String>> locked,
            Function<Path, Map<String, String>> environment)
            implements Contestant {
        @Override
        public Measurement measure(Run run) throws Exception {
            try (TemporaryFolder folder = new TemporaryFolder()) {
                return new ShellLoops(locked.apply(folder.path()), environment.apply(folder.path()), folder.path())
                        .measure(run);
            }
        }
    }
}
