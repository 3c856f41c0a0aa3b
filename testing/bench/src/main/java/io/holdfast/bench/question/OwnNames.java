package io.holdfast.bench.question;

import io.holdfast.bench.library.LockLibrary;
import io.holdfast.bench.measure.Contention;
import io.holdfast.bench.measure.LockClient;
import io.holdfast.bench.store.RunningStore;
import io.holdfast.bench.store.StoreUnderTest;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import java.time.Duration;
import java.util.Arrays;

/** Threads of one client, each with its own name. */
public final class OwnNames implements Question {
    public static final String ID = "own-names";
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
    public Measurement measure(Run run, StoreUnderTest store, LockLibrary library, RunningStore running)
            throws Exception {
        try (LockClient client = library.open(running.url(), TTL)) {
            client.once();
            LockClient.Handle[] locks = new LockClient.Handle[THREADS + 1];
            Arrays.setAll(locks, i -> client.handle("own-" + i));
            // These locks do not exclude each other, so the section, which would complain, is not entered.
            return Contention.apart(THREADS).measure(run, (section, thread) -> {
                locks[thread].lock();
                locks[thread].unlock();
            });
        }
    }
}
