package io.holdfast.tck.engine;

import io.holdfast.Acquirable;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.tck.TestTime;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * What the engine promises over a store, through the blocking API. P1 to P6 are the promises of the design, the other
 * ids rules of the protocol.
 */
public abstract class EngineContract extends EngineSuite
        implements BlockingClauses,
                LockViewClauses,
                ClientClauses,
                ElectionClauses,
                ProcessClauses,
                TurnClauses,
                EndClauses {
    /** For the test of a store. */
    protected EngineContract() {}

    @Override
    public final Attempt start(Acquirable lock, LockOptions options) {
        FutureTask<Lease> task = new FutureTask<>(() -> lock.acquire(options));
        Thread thread = new Thread(task, "tck-acquirer");
        thread.setDaemon(true);
        thread.start();
        return new Attempt() {
            @Override
            public Lease lease() throws Exception {
                try {
                    return task.get(TestTime.patience().toMillis(), TimeUnit.MILLISECONDS);
                } catch (ExecutionException e) {
                    throw e.getCause() instanceof Exception cause ? cause : e;
                }
            }

            @Override
            public boolean isDone() {
                return task.isDone();
            }

            @Override
            public void abandon() {
                thread.interrupt();
            }
        };
    }

    @Override
    public final Optional<Lease> tryNow(Acquirable lock, LockOptions options) {
        return lock.tryAcquire(options);
    }

    @Override
    public final <T> T callHeld(Acquirable lock, LockOptions options, Acquirable.Work<T, Exception> work)
            throws Exception {
        return lock.callHeld(options, work);
    }
}
