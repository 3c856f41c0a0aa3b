package io.holdfast.redlock.node;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Whether this client counts a node. The node says whether it does (U7, U9); a client that saw it forget also waits for
 * {@code maxTtl} on its own clock, in case the node's runs fast.
 */
public final class NodeTrust {
    private final long quarantineNanos;
    private @Nullable String epoch;
    private char state = '?';
    private boolean sawItForget;
    private long sawAt;

    NodeTrust(long quarantineNanos) {
        this.quarantineNanos = quarantineNanos;
    }

    /** Takes note of a reply that came just now; whether the node's own part of it counts. */
    synchronized boolean counts(Reply reply, long now) {
        if (reply.state() == Reply.UNSAID) {
            return false;
        }
        if (!reply.epoch().equals(epoch)) {
            if (epoch != null || reply.forgot()) {
                sawItForget = true;
                sawAt = now;
            }
            epoch = reply.epoch();
        }
        state = reply.state();
        return reply.state() == 'C' && waited(now);
    }

    /** The epoch of a node that may relearn: it said that its quarantine is over, and ours is too. */
    public synchronized @Nullable String pupil(long now) {
        return state == 'L' && waited(now) ? epoch : null;
    }

    /** How much of the quarantine is left, in milliseconds. */
    synchronized long leftMillis(Reply reply, long now) {
        long own = sawItForget ? TimeUnit.NANOSECONDS.toMillis(quarantineNanos - (now - sawAt)) : 0;
        return Math.max(reply.leftMillis(), Math.max(0, own));
    }

    private boolean waited(long now) {
        return !sawItForget || now - sawAt >= quarantineNanos;
    }
}
