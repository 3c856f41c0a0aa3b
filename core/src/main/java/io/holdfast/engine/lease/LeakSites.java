package io.holdfast.engine.lease;

import org.jspecify.annotations.Nullable;

/**
 * Where leases were acquired, for the log line about one that was never closed. A stack costs more than an uncontended
 * acquire, so one in {@value #SAMPLE} is recorded; with the system property {@code holdfast.leaks=all} every one.
 */
public final class LeakSites {
    static final int SAMPLE = 512;
    private static final boolean ALL = "all".equals(System.getProperty("holdfast.leaks"));
    private static final StackWalker WALKER = StackWalker.getInstance();

    private LeakSites() {}

    /** Whether the acquisition with these random bits is recorded. */
    public static boolean sampled(int bits) {
        return ALL || (bits & (SAMPLE - 1)) == 0;
    }

    /** The first frame outside of Holdfast. */
    public static String here() {
        return WALKER.walk(
                        frames -> frames.filter(frame -> !frame.getClassName().startsWith("io.holdfast.engine.")
                                        && !frame.getClassName().startsWith("io.holdfast.Acquirable"))
                                .findFirst()
                                .map(StackWalker.StackFrame::toString)
                                .orElse("an unknown place"))
                + " on thread " + Thread.currentThread().getName();
    }

    static String describe(@Nullable String site) {
        return site == null
                ? " (start with -Dholdfast.leaks=all to see where such leases are acquired)"
                : "; it was acquired at " + site;
    }

    static String stackOf(@Nullable Thread thread) {
        if (thread == null) {
            return "; it is not bound to a thread";
        }
        StringBuilder text = new StringBuilder("; its thread ")
                .append(thread.getName())
                .append(thread.isAlive() ? " is at" : " has ended");
        for (StackTraceElement frame : thread.getStackTrace()) {
            text.append("\n\tat ").append(frame);
        }
        return text.toString();
    }
}
