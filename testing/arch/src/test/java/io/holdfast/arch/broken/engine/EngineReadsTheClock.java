package io.holdfast.arch.broken.engine;

/** Breaks: core reads no clock. */
public final class EngineReadsTheClock {
    private EngineReadsTheClock() {}

    /** Reads it. */
    public static long now() {
        return System.nanoTime();
    }
}
