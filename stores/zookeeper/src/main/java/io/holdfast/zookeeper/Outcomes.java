package io.holdfast.zookeeper;

import java.lang.System.Logger.Level;

/**
 * L13: whatever a task throws, {@code Error}s included, ends that task only. ZooKeeper's event thread, the timer and loops
 * over several claims go on with the next one.
 */
final class Outcomes {
    private Outcomes() {}

    /** Runs a task; false if it threw. */
    static boolean guarded(Runnable task) {
        try {
            task.run();
            return true;
        } catch (Throwable failure) {
            System.getLogger("io.holdfast").log(Level.WARNING, "a step of the ZooKeeper store failed", failure);
            return false;
        }
    }
}
