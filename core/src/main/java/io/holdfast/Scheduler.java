package io.holdfast;

/**
 * Runs something later. Injected, so that the engine can run on virtual time.
 *
 * <p>Tasks are short and never block: the engine hands anything that may block to the client's executor.
 */
public interface Scheduler {
    /**
     * Runs {@code task} once, {@code delayNanos} from now or as soon afterwards as the process runs at all. A delay
     * of zero or less means as soon as possible, but not on the calling thread.
     */
    Timer schedule(Runnable task, long delayNanos);

    /** A scheduled task. */
    interface Timer {
        /** Forgets the task if it has not started. Cancelling twice, or too late, does nothing. */
        void cancel();
    }
}
