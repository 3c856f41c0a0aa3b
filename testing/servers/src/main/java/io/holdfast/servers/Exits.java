package io.holdfast.servers;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waits for the end of processes without giving up on an interrupt, which is kept for the caller. */
final class Exits {
    private Exits() {}

    /** Waits for the exit status. */
    static int await(Process process) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return process.waitFor();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Waits for the end at most so long and says whether it came. */
    static boolean await(Process process, Duration longest) {
        boolean interrupted = false;
        long end = System.nanoTime() + longest.toNanos();
        try {
            while (true) {
                try {
                    return process.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
