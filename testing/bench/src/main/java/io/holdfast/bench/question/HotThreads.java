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

/** Threads of one client on one name. */
public final class HotThreads implements Question {
    public static final String ID = "hot-name";
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final int THREADS = 16;

    @Override
    public String id() {
        return ID;
    }

    @Override
    public String text(StoreUnderTest store) {
        return THREADS + " threads of one client on one hot name, empty section";
    }

    @Override
    public Run fullRun() {
        return ORDINARY;
    }

    @Override
    public Measurement measure(Run run, StoreUnderTest store, LockLibrary library, RunningStore running)
            throws Exception {
        try (LockClient client = library.open(running.url(), TTL)) {
            client.once();
            LockClient.Handle[] locks = new LockClient.Handle[THREADS + 1];
            Arrays.setAll(locks, i -> client.handle("hot"));
            return new Contention(THREADS).measure(run, Contention.under(locks));
        }
    }
}
