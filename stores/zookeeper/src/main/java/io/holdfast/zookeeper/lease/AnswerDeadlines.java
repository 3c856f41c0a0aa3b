package io.holdfast.zookeeper.lease;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.support.CallDeadlines;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Limits how long callers wait for an answer. An answer that ZooKeeper gives later still reaches the part of the store that
 * sent the request, but not the caller. Thread-safe.
 */
public final class AnswerDeadlines {
    private static final long SWEEP_NANOS = 50_000_000;

    private final StoreSetup setup;
    private final CallDeadlines<Pending> calls;

    /** For the callers of a store. */
    public AnswerDeadlines(StoreSetup setup) {
        this.setup = setup;
        this.calls = new CallDeadlines<>(
                setup::now, (task, nanos) -> setup.context().scheduler().schedule(task, nanos), SWEEP_NANOS);
    }

    /** The same future, which fails with an unknown outcome if it is not completed within the I/O timeout. */
    public <T> CompletableFuture<T> bounded(CompletableFuture<T> future, String what) {
        if (!future.isDone()) {
            long deadline = setup.now() + setup.settings().ioTimeout().toNanos();
            calls.add(new Pending(future, what, deadline, setup.errors().location()));
        }
        return future;
    }

    /** As {@link #bounded}, for an answer that other callers wait for too: their waits go on. */
    public <T> CompletableFuture<T> boundedCopy(CompletionStage<T> stage, String what) {
        return bounded(stage.toCompletableFuture().copy(), what);
    }

    private record Pending(CompletableFuture<?> future, String what, long deadline, String location)
            implements CallDeadlines.Call {
        @Override
        public boolean isDone() {
            return future.isDone();
        }

        @Override
        public boolean endIfLate(long nowNanos) {
            boolean late = nowNanos - deadline >= 0;
            if (late) {
                endNow();
            }
            return late;
        }

        @Override
        public void endNow() {
            future.completeExceptionally(new StoreUnavailableException(
                    what + ": store " + location + " did not answer within its I/O timeout", true, null));
        }
    }
}
