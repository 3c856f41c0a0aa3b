package io.holdfast.engine.runtime;

import io.holdfast.Scheduler;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The threads of a client that was given none: one for time, and as many daemons as callbacks and blocking store calls
 * need. Both start with the first task. This is the only place in core that starts threads.
 */
public final class OwnThreads implements Scheduler, Executor {
    private final String name;
    private volatile @Nullable ScheduledThreadPoolExecutor time;
    private volatile @Nullable ExecutorService work;
    private boolean closed;

    public OwnThreads(String name) {
        this.name = name;
    }

    @Override
    public Timer schedule(Runnable task, long delayNanos) {
        var future = time().schedule(guarded(task), delayNanos, TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    @Override
    public void execute(Runnable task) {
        work().execute(guarded(task));
    }

    /** An executor that takes what {@code preferred} does not: a full or closed one, or one that fails (L13). */
    public Executor behind(Executor preferred) {
        return task -> {
            Once once = new Once(task);
            try {
                preferred.execute(once);
            } catch (Throwable rejected) {
                if (once.ran()) {
                    throw rejected; // The task's own, on an executor that runs it on the calling thread.
                }
                execute(once);
            }
        };
    }

    /**
     * Runs a task that must not be lost and must not run on the calling thread, also after {@link #close()}: then on a
     * thread of its own, or on the timer's if the machine has none left.
     */
    public void executeAnyway(Runnable task) {
        Once once = new Once(guarded(task));
        try {
            execute(once);
        } catch (Throwable rejected) {
            try {
                daemons("last").newThread(once).start();
            } catch (Throwable noThread) {
                time().execute(once);
            }
        }
    }

    public void close() {
        ScheduledThreadPoolExecutor timeNow;
        ExecutorService workNow;
        synchronized (this) {
            closed = true;
            timeNow = time;
            workNow = work;
        }
        if (timeNow != null) {
            timeNow.shutdownNow();
        }
        if (workNow != null) {
            workNow.shutdown();
        }
    }

    private static Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (Throwable e) {
                Log.warning("a task of the client failed", e);
            }
        };
    }

    private ScheduledThreadPoolExecutor time() {
        ScheduledThreadPoolExecutor current = time;
        return current != null ? current : startTime();
    }

    private ExecutorService work() {
        ExecutorService current = work;
        return current != null ? current : startWork();
    }

    private synchronized ScheduledThreadPoolExecutor startTime() {
        ScheduledThreadPoolExecutor current = time;
        if (current == null) {
            current = new ScheduledThreadPoolExecutor(1, daemons("time"), (task, pool) -> {});
            current.setRemoveOnCancelPolicy(true);
            current.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
            if (closed) {
                current.shutdown();
            }
            time = current;
        }
        return current;
    }

    private synchronized ExecutorService startWork() {
        ExecutorService current = work;
        if (current == null) {
            current = new ThreadPoolExecutor(
                    0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), daemons("work"));
            if (closed) {
                current.shutdown();
            }
            work = current;
        }
        return current;
    }

    private ThreadFactory daemons(String kind) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, "holdfast-" + name + "-" + kind + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
