package io.holdfast.tck.engine;

import io.holdfast.Acquirable;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.tck.TestTime;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** What the engine promises over a store, through the asynchronous API: the clauses of {@link EngineContract}. */
public abstract class AsyncEngineContract extends EngineSuite implements AsyncClauses {
    /** For the test of a store. */
    protected AsyncEngineContract() {}

    @Override
    public final Attempt start(Acquirable lock, LockOptions options) {
        CompletableFuture<Lease> future = lock.acquireAsync(options);
        return new Attempt() {
            @Override
            public Lease lease() throws Exception {
                return result(future);
            }

            @Override
            public boolean isDone() {
                return future.isDone();
            }

            @Override
            public void abandon() {
                future.cancel(true);
            }
        };
    }

    @Override
    public final Optional<Lease> tryNow(Acquirable lock, LockOptions options) throws Exception {
        return result(lock.tryAcquireAsync(options));
    }

    @Override
    public final <T> T callHeld(Acquirable lock, LockOptions options, Acquirable.Work<T, Exception> work)
            throws Exception {
        return result(lock.callHeldAsync(options, work));
    }

    private static <T> T result(CompletableFuture<T> future) throws Exception {
        try {
            return future.get(TestTime.patience().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }
}
