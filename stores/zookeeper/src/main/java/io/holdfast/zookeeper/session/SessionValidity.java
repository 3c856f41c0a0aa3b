package io.holdfast.zookeeper.session;

import java.util.ArrayDeque;

/**
 * Until when a session is certainly alive, on the clock of this client (U3).
 *
 * <p>An answered write proves that the leader knew the session when it executed the write. It does not prove that the
 * leader restarted the session's timeout at that time: a follower passes on the activity of its clients only with its next
 * exchange with the leader. By the time a write is answered, however, a write that was sent a quarter of the timeout
 * <em>before</em> it has been passed on. So the session lives until the sending of that earlier write + timeout − drift.
 *
 * <p>Pings and reads prove nothing: a follower that is cut off from its leader still answers them.
 *
 * <p>Thread-safe.
 */
final class SessionValidity {
    private final long timeout;
    private final ArrayDeque<Long> unconfirmed = new ArrayDeque<>();
    private long confirmed;
    private long last;

    /** For a session that was requested at {@code connecting}: the server cannot have started its timeout earlier. */
    SessionValidity(long timeoutNanos, long connecting) {
        timeout = timeoutNanos;
        confirmed = connecting;
        last = connecting;
    }

    /** The time between two heartbeats. */
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

    /** The end of the proven life of the session, less the drift between the two clocks. */
    synchronized long deadline() {
        return confirmed + timeout - timeout / 100 - 2_000_000;
    }
}
