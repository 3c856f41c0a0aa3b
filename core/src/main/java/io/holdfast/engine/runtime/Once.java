package io.holdfast.engine.runtime;

import java.util.concurrent.atomic.AtomicBoolean;

/** Runs a task at most once, however many executors were given it: one may fail after it took the task. */
final class Once implements Runnable {
    private final Runnable task;
    private final AtomicBoolean ran = new AtomicBoolean();

    Once(Runnable task) {
        this.task = task;
    }

    boolean ran() {
        return ran.get();
    }

    @Override
    public void run() {
        if (ran.compareAndSet(false, true)) {
            task.run();
        }
    }
}
