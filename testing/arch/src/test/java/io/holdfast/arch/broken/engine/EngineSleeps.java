package io.holdfast.arch.broken.engine;

/** Breaks: core never sleeps. */
public final class EngineSleeps {
    private EngineSleeps() {}

    /** Sleeps. */
    public static void pause() throws InterruptedException {
        Thread.sleep(1);
    }
}
