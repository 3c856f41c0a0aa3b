package io.holdfast.bench.engine;

import io.holdfast.LossReason;
import io.holdfast.Mode;
import io.holdfast.Ticker;
import io.holdfast.bench.measure.RepeatedWork;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreSignals;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** A store without the engine: two calls per pair, with claims that are made before they are needed. */
public final class RawStore implements RepeatedWork.Batch, AutoCloseable {
    private final LockStore store;
    private final Claim[] claims;
    private final ScheduledExecutorService time = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "raw-store-time");
        thread.setDaemon(true);
        return thread;
    });
    private final RandomGenerator random = RandomGenerator.of("L64X128MixRandom");

    public RawStore(LockStore store, int batchSize) {
        this.store = store;
        this.claims = new Claim[batchSize];
        store.attach(new StoreContext(
                Ticker.system(),
                (task, delayNanos) -> {
                    var future = time.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
                    return () -> future.cancel(false);
                },
                time,
                random,
                new Deaf()));
    }

    @Override
    public int size() {
        return claims.length;
    }

    @Override
    public void prepare() {
        for (int i = 0; i < claims.length; i++) {
            claims[i] = new Claim(
                    "pair",
                    new HolderId(random.nextLong(), random.nextLong(), random.nextInt()),
                    "bench",
                    "bench",
                    Mode.EXCLUSIVE,
                    1,
                    Duration.ofSeconds(30),
                    Duration.ZERO,
                    1);
        }
    }

    @Override
    public void work(int index) throws Exception {
        Claim claim = claims[index];
        if (!(answer(store.tryAcquire(claim)) instanceof Granted)) {
            throw new IllegalStateException("a free lock was refused");
        }
        if (!(answer(store.release(claim)) instanceof ReleaseResult.Released)) {
            throw new IllegalStateException("a held lock was not released");
        }
    }

    @Override
    public void close() {
        store.close();
        time.shutdownNow();
    }

    private static <T> T answer(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get();
    }

    /** Ignores signals: no lease lives long enough to be lost. */
    private static final class Deaf implements StoreSignals {
        @Override
        public void lost(HolderId holder, LossReason reason) {}

        @Override
        public void disconnected() {}

        @Override
        public void connected() {}
    }
}
