package io.holdfast.bench.command;

import io.holdfast.bench.measure.Contention;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Processes that do nothing but run a command under a lock, again and again. The command is a section across processes:
 * it makes a folder that must not be there, counts one on in a file that only the lock protects, and compares its fencing
 * token, if it has one, with the one before.
 */
public final class ShellLoops {
    public static final int LOOPS = 4;
    public static final String RATE = "hand-offs/s";
    public static final String UNFAIRNESS = "max/min per process";

    private static final String SECTION = """
            mkdir inside 2>/dev/null || echo "two processes were inside" >>violations
            read -r count <count
            echo $((count + 1)) >count
            if [ -n "${HOLDFAST_TOKEN-}" ]; then
                read -r last <token
                [ "$HOLDFAST_TOKEN" -gt "$last" ] ||
                    echo "token $HOLDFAST_TOKEN was granted after token $last" >>violations
                echo "$HOLDFAST_TOKEN" >token
            fi
            rmdir inside 2>/dev/null || echo "another process went out first" >>violations
            exit 0
            """;

    /** Each loop keeps a count of its own, so that a lost update of the common one shows; and ends with its parent. */
    private static final String LOOP = """
            own=0
            while [ ! -e stop ] && kill -0 "$PARENT" 2>/dev/null; do
                "$@" sh section || { echo "$1 ended with $?" >>violations; exit 1; }
                own=$((own + 1))
                echo $own >$OWN.new && mv $OWN.new $OWN
            done
            """;

    private final List<String> locked;
    private final Map<String, String> environment;
    private final Path folder;

    /** Loops over {@code locked… sh section} in this folder. */
    public ShellLoops(List<String> locked, Map<String, String> environment, Path folder) {
        this.locked = locked;
        this.environment = environment;
        this.folder = folder;
    }

    public Measurement measure(Run run) throws IOException, InterruptedException {
        Files.writeString(folder.resolve("section"), SECTION);
        Files.writeString(folder.resolve("count"), "0\n");
        Files.writeString(folder.resolve("token"), "0\n");
        List<Process> loops = new ArrayList<>();
        long[] before;
        long[] after;
        long nanos;
        try {
            for (int i = 0; i < LOOPS; i++) {
                loops.add(start(i));
            }
            await(loops, run.warmUp().toNanos(), 1);
            before = counts();
            long start = System.nanoTime();
            await(loops, run.measure().toNanos(), before[0] + 1);
            after = counts();
            nanos = System.nanoTime() - start;
        } finally {
            Files.writeString(folder.resolve("stop"), "");
            for (Process loop : loops) {
                if (!loop.waitFor(1, TimeUnit.MINUTES)) {
                    loop.descendants().forEach(ProcessHandle::destroyForcibly);
                    loop.destroyForcibly().waitFor();
                }
            }
        }
        Measurement rate = Contention.measurement(before, after, nanos);
        return Measurement.of(RATE, rate.values().getOrDefault(Contention.RATE, 0.0))
                .with(UNFAIRNESS, rate.values().getOrDefault(Contention.UNFAIRNESS, 0.0))
                .with(violations());
    }

    /** Waits for some time and until the first loop has passed so often: a slow machine has a first number too. */
    private void await(List<Process> loops, long nanos, long passes) throws IOException, InterruptedException {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() - end < 0 || counts()[0] < passes) {
            TimeUnit.MILLISECONDS.sleep(10);
            if (loops.stream().anyMatch(loop -> !loop.isAlive())) {
                throw new IOException("a loop ended: " + violations());
            }
        }
    }

    private Process start(int index) throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", LOOP, "loop"));
        command.addAll(locked);
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(folder.resolve("log-" + index).toFile());
        builder.environment().putAll(environment);
        builder.environment().put("OWN", "own-" + index);
        builder.environment()
                .put("PARENT", Long.toString(ProcessHandle.current().pid()));
        return builder.start();
    }

    private long[] counts() throws IOException {
        long[] counts = new long[LOOPS];
        for (int i = 0; i < LOOPS; i++) {
            Path own = folder.resolve("own-" + i);
            counts[i] = Files.exists(own) ? Long.parseLong(Files.readString(own).strip()) : 0;
        }
        return counts;
    }

    /** After all loops have ended: what they saw, and whether the common counter is the sum of their own. */
    private List<String> violations() throws IOException {
        Path file = folder.resolve("violations");
        List<String> found = new ArrayList<>(
                Files.exists(file) ? Files.readAllLines(file).stream().limit(5).toList() : List.of());
        long passes = 0;
        for (long count : counts()) {
            passes += count;
        }
        long entered = Long.parseLong(Files.readString(folder.resolve("count")).strip());
        if (passes != entered) {
            found.add(passes + " passes left the unprotected counter at " + entered);
        }
        return found;
    }
}
