package io.holdfast.zookeeper.session;

import java.lang.System.Logger.Level;

/**
 * Keeps what one task throws from the tasks that follow it (L13). ZooKeeper's event thread, the timer and loops over
 * several claims run their tasks through here.
 */
public final class TaskFailures {
    private TaskFailures() {}

    /** Runs a task. Whatever it throws, an {@code Error} included, is logged and goes no further. */
    public static void logged(Runnable task) {
        try {
            task.run();
        } catch (Throwable failure) {
            System.getLogger("io.holdfast").log(Level.WARNING, "a step of the ZooKeeper store failed", failure);
        }
    }
}
