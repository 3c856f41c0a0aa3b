package io.holdfast.bench.workloads;

import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import java.time.Duration;

/** The price of an uncontended lock: in time, and in whatever the store counts. */
final class OwnName implements Question {
    static final String ID = "own-name";
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final int BATCH = 20;
    private static final int COUNTED = 500;

    /** The metric of a counter. */
    static String perPair(String counter) {
        return counter + "/pair";
    }

    @Override
    public String id() {
        return ID;
    }

    @Override
    public String text(StoreUnderTest store) {
        return "1 thread, its own name: lock + unlock";
    }

    @Override
    public Run fullRun() {
        return ORDINARY;
    }

    @Override
    public Measurement measure(Run run, StoreUnderTest store, Entrant entrant, RunningStore running) throws Exception {
        try (LockClient client = entrant.open(running.url(), TTL)) {
            LockClient.Handle lock = client.handle("own");
            Measurement times = RepeatedWork.measure(run, RepeatedWork.pairs(lock, BATCH));
            Load before = Load.now(running);
            for (int i = 0; i < COUNTED; i++) {
                lock.lock();
                lock.unlock();
            }
            return Load.now(running).countsSince(before, COUNTED, OwnName::perPair, times);
        }
    }
}
