package io.holdfast.bench.question;

import io.holdfast.bench.library.LockLibrary;
import io.holdfast.bench.measure.Contention;
import io.holdfast.bench.measure.LockClient;
import io.holdfast.bench.measure.RepeatedWork;
import io.holdfast.bench.store.RunningStore;
import io.holdfast.bench.store.StoreLoad;
import io.holdfast.bench.store.StoreUnderTest;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import java.time.Duration;
import java.util.Arrays;

/**
 * The price of an uncontended lock: in time, and in whatever the store counts.
 *
 * <p>Before the thread that is measured warms up, {@value #WARMERS} do so at the same time, each with a name of its own.
 * Where every change is flushed one thread does a few hundred pairs per second, too few for its code to be compiled: after
 * eight seconds of etcd the JVM still used a whole processor for some 450 pairs per second.
 */
public final class OwnName implements Question {
    public static final String ID = "own-name";
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final int BATCH = 20;
    private static final int COUNTED = 500;
    private static final int WARMERS = 8;

    /** The metric of a counter. */
    public static String perPair(String counter) {
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
        // It warms up twice.
        return new Run(COMPILED.warmUp().dividedBy(2), COMPILED.measure(), false);
    }

    @Override
    public Measurement measure(Run run, StoreUnderTest store, LockLibrary library, RunningStore running)
            throws Exception {
        try (LockClient client = library.open(running.url(), TTL)) {
            client.once();
            warmUp(run, client);
            LockClient.Handle lock = client.handle("own");
            Measurement times = RepeatedWork.measure(run, RepeatedWork.pairs(lock, BATCH));
            StoreLoad before = StoreLoad.now(running);
            for (int i = 0; i < COUNTED; i++) {
                lock.lock();
                lock.unlock();
            }
            return StoreLoad.now(running).countsSince(before, COUNTED, OwnName::perPair, times);
        }
    }

    private static void warmUp(Run run, LockClient client) throws Exception {
        LockClient.Handle[] locks = new LockClient.Handle[WARMERS + 1];
        Arrays.setAll(locks, i -> client.handle("warm-" + i));
        Contention.apart(WARMERS).measure(new Run(Duration.ZERO, run.warmUp(), run.quick()), (section, thread) -> {
            locks[thread].lock();
            locks[thread].unlock();
        });
    }
}
