package io.holdfast.sql.connection;

/** Callbacks of the engine, run by a thread of the store. */
public final class Callbacks {
    private Callbacks() {}

    /** Runs one. Whatever it throws is logged, and the thread goes on for the others (L13). */
    public static void run(Runnable wake) {
        try {
            wake.run();
        } catch (Throwable e) {
            System.getLogger(Callbacks.class.getName())
                    .log(System.Logger.Level.WARNING, "a callback for a lock that may be free failed", e);
        }
    }
}
