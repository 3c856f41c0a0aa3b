package io.holdfast.sim;

import io.holdfast.Holdfast;
import io.holdfast.Scheduler;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Runs {@code Holdfast.close()}, the one call that blocks, without giving determinism up: on a thread of its own that
 * runs only while the world stands still. The engine waits by asking its scheduler for a wake-up and parking; that
 * request is where the turn goes back to the world, and the wake-up is where the closing thread gets it again.
 */
final class Closer {
    private final Holdfast holdfast;
    private final Machine machine;
    private final Semaphore turn = new Semaphore(0);
    private final Thread thread;
    private final Runnable done;
    private volatile boolean finished;
    private volatile @Nullable Throwable failure;

    Closer(Holdfast holdfast, Machine machine, Runnable done) {
        this.holdfast = holdfast;
        this.machine = machine;
        this.done = done;
        this.thread = new Thread(this::close, "closer of " + machine.name());
        this.thread.setDaemon(true);
    }

    @Nullable
    Throwable failure() {
        return failure;
    }

    void start() {
        thread.start();
        await();
    }

    boolean isCurrentThread() {
        return Thread.currentThread() == thread;
    }

    /** Called by the engine on the closing thread, which parks next. */
    Scheduler.Timer schedule(Runnable task, long delayNanos) {
        Scheduler.Timer timer = machine.schedule(
                () -> {
                    task.run();
                    await();
                },
                delayNanos);
        turn.release();
        return timer;
    }

    /** The run is over: lets the thread find that its time is up. */
    void abandon() {
        if (!finished) {
            machine.endTime();
            LockSupport.unpark(thread);
        }
    }

    private void await() {
        turn.acquireUninterruptibly();
        if (finished) {
            done.run();
        }
    }

    private void close() {
        try {
            holdfast.close();
        } catch (RuntimeException | Error e) {
            failure = e;
        } finally {
            finished = true;
            turn.release();
        }
    }
}
