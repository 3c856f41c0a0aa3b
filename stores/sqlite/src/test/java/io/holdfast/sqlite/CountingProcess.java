package io.holdfast.sqlite;

import static io.holdfast.LockOptions.waitUpTo;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that increment the number in a file under a lock. Arguments: store URL, file, threads, turns of each. */
final class CountingProcess {
    private CountingProcess() {}

    public static void main(String[] arguments) throws Exception {
        Path counter = Path.of(arguments[1]);
        int threads = Integer.parseInt(arguments[2]);
        int turns = Integer.parseInt(arguments[3]);
        ExecutorService crowd = Executors.newFixedThreadPool(threads);
        try (Holdfast holdfast = Holdfast.open(arguments[0])) {
            List<Future<?>> results = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                results.add(crowd.submit(() -> {
                    for (int turn = 0; turn < turns; turn++) {
                        try (Lease lease = holdfast.mutex("counter").acquire(waitUpTo(Duration.ofMinutes(2)))) {
                            long seen = Long.parseLong(Files.readString(counter));
                            Files.writeString(counter, Long.toString(seen + 1));
                            lease.ensureValid();
                        }
                    }
                    return turns;
                }));
            }
            for (Future<?> result : results) {
                result.get();
            }
        } finally {
            crowd.shutdownNow();
        }
    }
}
