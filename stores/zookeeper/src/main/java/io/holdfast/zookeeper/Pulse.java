package io.holdfast.zookeeper;

import java.util.ArrayDeque;

/**
 * Until when a session certainly lives, counted on this client's clock (U3).
 *
 * <p>An answered write proves that the leader knew the session when it executed the write; it does not prove that the
 * leader then began to count anew: a follower tells it of its clients' signs of life only with the next exchange between
 * the two. But the write that was sent a quarter of the timeout <em>before</em> an answered one has been told by then.
 * So the session lives until the sending of that earlier write + timeout, less the drift. Pings and reads count for
 * nothing: a follower that is cut off from its leader goes on answering them.
 *
 * <p>Thread-safe.
 */
final class Pulse {
    private final long timeout;
    private final ArrayDeque<Long> unconfirmed = new ArrayDeque<>();
    private long confirmed;
    private long last;

    /** A session that was asked for at {@code connecting}: it cannot be older. */
    Pulse(long timeoutNanos, long connecting) {
        timeout = timeoutNanos;
        confirmed = connecting;
        last = connecting;
    }

    /** How often to write. */
    long interval() {
        return timeout / 4;
    }

    /** A write that was sent at {@code sent} was answered. */
    synchronized void answered(long sent) {
        if (sent - last < 0) {
            return;
        }
        last = sent;
        Long first = unconfirmed.peekFirst();
        while (first != null && sent - first >= interval()) {
            confirmed = unconfirmed.removeFirst();
            first = unconfirmed.peekFirst();
        }
        Long newest = unconfirmed.peekLast();
        if (newest == null || sent - newest >= timeout / 32) {
            unconfirmed.addLast(sent);
        }
    }

    /** Until when the session lives, drift taken off. */
    synchronized long deadline() {
        return confirmed + timeout - timeout / 100 - 2_000_000;
    }
}
