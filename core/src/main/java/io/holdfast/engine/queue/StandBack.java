package io.holdfast.engine.queue;

import java.time.Duration;

/** What this client and other clients that wait for a name leave to each other (L21): a part of {@link LocalQueue}. */
final class StandBack {
    /** How often the store is told at most that this client waits for the name. */
    private static final long NOTE_AGAIN = 1_000_000_000;

    private boolean begun;
    private long until;
    private boolean noted;
    private long notedAt;

    /** This client claims nothing for so long. */
    void begin(Duration howLong, long now) {
        long end = now + howLong.toNanos();
        if (left(now) == 0 || end - until > 0) {
            begun = true;
            until = end;
        }
    }

    /** For how much longer this client claims nothing, in ns. */
    long left(long now) {
        if (!begun) {
            return 0;
        }
        long left = until - now;
        begun = left > 0;
        return begun ? left : 0;
    }

    /** The store has noted that this client waits. */
    void noted(long now) {
        noted = true;
        notedAt = now;
    }

    /** Whether the store has no fresh note that this client waits. */
    boolean noteDue(long now) {
        return !noted || now - notedAt >= NOTE_AGAIN;
    }
}
