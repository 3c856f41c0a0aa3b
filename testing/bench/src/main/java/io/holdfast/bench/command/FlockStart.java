package io.holdfast.bench.command;

import io.holdfast.bench.measure.TemporaryFolder;
import io.holdfast.bench.workload.Contestant;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import io.holdfast.bench.workload.Workload;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A command under a lock of one machine, against the tool that every Linux has. There is no bar: {@code flock(1)} is one
 * system call in a small program, without lease, token, queue or remote store, and a JVM cannot start that fast.
 */
public final class FlockStart implements Workload {
    public static final String FLOCK = "flock(1)";
    public static final String HOLDFAST = "holdfast run";

    /** For {@link java.util.ServiceLoader}. */
    public FlockStart() {}

    @Override
    public String id() {
        return "flock-start";
    }

    @Override
    public String question() {
        return "one machine: start, lock, run true, unlock: ./holdfast run x -- true against flock x true, from the second"
                + " run on";
    }

    @Override
    public List<Contestant> contestants() {
        return List.of(new Flock(), new HoldfastRun(HOLDFAST));
    }

    @Override
    public Run fullRun() {
        return new Run(Duration.ofSeconds(2), Duration.ofSeconds(10), false);
    }

    /** Why there is no {@code flock}, if so. */
    public static Optional<String> noFlock() {
        return Executable.onPath("flock") ? Optional.empty() : Optional.of("flock is not on the PATH");
    }

    private static final class Flock implements Contestant {
        @Override
        public String name() {
            return FLOCK;
        }

        @Override
        public Optional<String> obstacle() {
            return noFlock();
        }

        @Override
        public Measurement measure(Run run) throws Exception {
            try (TemporaryFolder folder = new TemporaryFolder()) {
                List<String> command =
                        List.of("flock", folder.path().resolve("x").toString(), "true");
                return new CommandTimes(command, Map.of(), folder.path()).measure(run);
            }
        }
    }
}
