package io.holdfast.tck.process;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.tck.ConcurrentThreads;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A process of its own that increments the number in a file under a lock: {@code store-url file threads turns}. Each
 * increment also appends its token to {@code file.tokens}. Ends with 0 if nothing went wrong.
 */
public final class CounterProcess {
    private CounterProcess() {}

    /** Runs to its end. */
    public static void main(String[] arguments) throws Exception {
        String url = arguments[0];
        Path file = Path.of(arguments[1]);
        int threads = Integer.parseInt(arguments[2]);
        int turns = Integer.parseInt(arguments[3]);
        try (Holdfast holdfast = Holdfast.open(url)) {
            ConcurrentThreads.run(threads, number -> {
                for (int turn = 0; turn < turns; turn++) {
                    increment(holdfast, file);
                }
            });
        }
    }

    private static void increment(Holdfast holdfast, Path file) throws Exception {
        try (Lease lease = holdfast.mutex("counter").acquire(LockOptions.waitUpTo(Duration.ofMinutes(2)))) {
            int seen = Integer.parseInt(Files.readString(file).trim());
            Files.writeString(
                    Path.of(file + ".tokens"),
                    lease.token() + "\n",
                    java.nio.file.StandardOpenOption.CREATE,
                    java.nio.file.StandardOpenOption.APPEND);
            Files.writeString(file, Integer.toString(seen + 1));
        }
    }
}
