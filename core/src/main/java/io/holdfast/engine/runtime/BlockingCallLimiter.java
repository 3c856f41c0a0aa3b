package io.holdfast.engine.runtime;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Runs store calls that block on at most {@value #LANES} threads of an executor, in the order of their arrival. So a
 * thousand asynchronous requests to a store that does its I/O on the calling thread do not take a thousand threads.
 */
final class BlockingCallLimiter {
    private static final int LANES = 4;

    private final Executor executor;
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private int busy;

    BlockingCallLimiter(Executor executor) {
        this.executor = executor;
    }

    /** Runs the task when a lane is free; false if the executor takes no more. */
    boolean offer(Runnable task) {
        synchronized (tasks) {
            tasks.addLast(task);
            if (busy == LANES) {
                return true;
            }
            busy++;
        }
        try {
            executor.execute(this::drain);
            return true;
        } catch (RejectedExecutionException e) {
            return !withdraw(task);
        } catch (Throwable e) {
            // For example no memory for a thread. The lane is given back; a lane that runs may have taken the task
            // (L13).
            if (withdraw(task)) {
                throw e;
            }
            return true;
        }
    }

    /** Gives a lane back that was not started; false if another lane has taken the task. */
    private boolean withdraw(Runnable task) {
        synchronized (tasks) {
            busy--;
            return tasks.remove(task);
        }
    }

    private void drain() {
        Runnable task = next();
        while (task != null) {
            try {
                task.run();
            } catch (Throwable e) {
                Log.warning("a store call failed", e);
            }
            task = next();
        }
    }

    private @Nullable Runnable next() {
        synchronized (tasks) {
            Runnable task = tasks.pollFirst();
            if (task == null) {
                busy--;
            }
            return task;
        }
    }
}
