package io.holdfast.arch.broken.engine;

/** Breaks: core starts no thread. */
public final class EngineStartsAThread {
    private EngineStartsAThread() {}

    /** Starts one. */
    public static void run(Runnable task) {
        new Thread(task).start();
    }
}
