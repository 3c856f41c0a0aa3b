package io.holdfast.engine.runtime;

import java.util.concurrent.Executor;

/**
 * Runs code of the application: callbacks, and the completion of futures. A task runs on the client's executor. If the
 * executor rejects it or fails, the task runs on a thread of the client, never on the calling thread, which may read a
 * connection (L13).
 */
public final class Callbacks implements Executor {
    private final Executor executor;
    private final Executor lastResort;

    public Callbacks(Executor executor, Executor lastResort) {
        this.executor = executor;
        this.lastResort = lastResort;
    }

    @Override
    public void execute(Runnable task) {
        Once once = new Once(() -> {
            try {
                task.run();
            } catch (Throwable e) {
                Log.warning("a callback failed", e);
            }
        });
        try {
            executor.execute(once);
        } catch (Throwable rejected) {
            if (!once.ran()) {
                lastResort.execute(once);
            }
        }
    }
}
