package io.holdfast.bench.workloads;

import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import java.time.Duration;
import java.util.Arrays;

/** Threads of one client, each with its own name. */
final class OwnNames implements Question {
    static final String ID = "own-names";
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final int THREADS = 16;

    @Override
    public String id() {
        return ID;
    }

    @Override
    public String text(StoreUnderTest store) {
        return THREADS + " threads of one client, each its own name: lock + unlock";
    }

    @Override
    public Run fullRun() {
        return COMPILED;
    }

    @Override
    public Measurement measure(Run run, StoreUnderTest store, Entrant entrant, RunningStore running) throws Exception {
        try (LockClient client = entrant.open(running.url(), TTL)) {
            client.once();
            LockClient.Handle[] locks = new LockClient.Handle[THREADS + 1];
            Arrays.setAll(locks, i -> client.handle("own-" + i));
            // Nobody excludes anybody here, so the section, which would complain, is not entered.
            return Contention.apart(THREADS).measure(run, (section, thread) -> {
                locks[thread].lock();
                locks[thread].unlock();
            });
        }
    }
}
