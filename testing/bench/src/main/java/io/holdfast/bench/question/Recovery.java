package io.holdfast.bench.question;

import io.holdfast.bench.library.LockLibrary;
import io.holdfast.bench.library.QuestionIds;
import io.holdfast.bench.measure.LockClient;
import io.holdfast.bench.process.LockChild;
import io.holdfast.bench.store.RunningStore;
import io.holdfast.bench.store.StoreUnderTest;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import io.holdfast.bench.workload.Spread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** How long the lock stays closed after its holder or the store was killed. */
public final class Recovery implements Question {
    private static final String KILLED = "holder killed: ms to the next grant";
    private static final String RESTARTED = "store killed: ms from its first answer to the next grant";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String NAME = "recovered";

    @Override
    public String id() {
        return QuestionIds.RECOVERY;
    }

    @Override
    public String text(StoreUnderTest store) {
        return "TTL " + store.shortTtl().toMillis() + " ms: from kill -9 of the process that holds to the grant of a"
                + " client that waits"
                + (store.hasServers() ? "; from the first answer of a store killed and started to the next grant" : "");
    }

    @Override
    public boolean suits(StoreUnderTest store) {
        return store.betweenProcesses();
    }

    /** One death, as long after the waiter came as the warm-up says; the range is that of the rounds. */
    @Override
    public Run fullRun() {
        return new Run(Duration.ofMillis(500), Duration.ofMillis(500), false);
    }

    @Override
    public Measurement measure(Run run, StoreUnderTest store, LockLibrary library, RunningStore running)
            throws Exception {
        Duration ttl = store.shortTtl();
        List<String> violations = new ArrayList<>();
        List<Double> millis = new ArrayList<>();
        try (LockClient client = library.open(running.url(), ttl)) {
            long end = System.nanoTime() + run.measure().toNanos();
            do {
                try (LockChild holder = LockChild.holding(store, library, running.url(), ttl, NAME)) {
                    millis.add(afterDeath(client, holder, run, violations));
                }
            } while (System.nanoTime() - end < 0);
            Measurement all = Measurement.of(KILLED, Spread.of(millis).median());
            return (store.hasServers() ? all.with(RESTARTED, afterRestart(client, running)) : all).with(violations);
        }
    }

    private static double afterDeath(LockClient client, LockChild holder, Run run, List<String> violations)
            throws Exception {
        LockClient.Handle next = client.handle(NAME);
        ExecutorService waiter = Executors.newSingleThreadExecutor();
        try {
            Future<Long> granted = waiter.submit(() -> {
                long token = next.lock();
                long at = System.nanoTime();
                next.unlock();
                if (token != 0 && token <= holder.token()) {
                    violations.add("token " + token + " was granted after token " + holder.token());
                }
                return at;
            });
            // Long enough to be queued. The waiter must not be granted what is held.
            TimeUnit.NANOSECONDS.sleep(Math.max(run.warmUp().toNanos(), TimeUnit.MILLISECONDS.toNanos(200)));
            if (granted.isDone()) {
                violations.add("the lock was granted while another process held it");
            }
            long killed = System.nanoTime();
            holder.kill();
            return (granted.get(PATIENCE.toSeconds(), TimeUnit.SECONDS) - killed) / 1e6;
        } finally {
            waiter.shutdownNow();
        }
    }

    /** The client knew the store before; a library that gives up is asked again. */
    private static double afterRestart(LockClient client, RunningStore running) throws Exception {
        LockClient.Handle lock = client.handle("restarted");
        lock.lock();
        lock.unlock();
        running.killAndStart();
        long back = System.nanoTime();
        while (true) {
            try {
                lock.lock();
                double millis = (System.nanoTime() - back) / 1e6;
                lock.unlock();
                return millis;
            } catch (RuntimeException stillAway) {
                if (System.nanoTime() - back > PATIENCE.toNanos()) {
                    throw stillAway;
                }
                TimeUnit.MILLISECONDS.sleep(1);
            }
        }
    }
}
