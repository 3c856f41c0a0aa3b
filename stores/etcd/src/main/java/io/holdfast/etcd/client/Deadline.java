package io.holdfast.etcd.client;

/**
 * The moment by which a call must have been answered.
 *
 * @param atNanos on the clock of {@link System#nanoTime()}
 */
public record Deadline(long atNanos) {
    /** The moment that is so many nanoseconds away. */
    public static Deadline after(long nanos) {
        return new Deadline(System.nanoTime() + nanos);
    }

    /** How many nanoseconds are left; zero or less if it has passed. */
    public long left() {
        return atNanos - System.nanoTime();
    }
}
