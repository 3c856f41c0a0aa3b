package io.holdfast.engine.queue;

import io.holdfast.spi.Claim;
import io.holdfast.spi.StoreInfo;
import java.time.Duration;

/**
 * What the queues of a client know of their store and client.
 *
 * @param waiting how a refused request waits
 * @param location the store, for messages
 * @param ioNanos the store's I/O timeout
 * @param handoffNanos for how long a grant may pass between threads
 * @param longestPause the longest pause between two asks, at most {@link Claim#LONGEST_PAUSE}
 */
record QueueRules(Waiting waiting, String location, long ioNanos, long handoffNanos, Duration longestPause) {
    /** What follows when the lock is not free. */
    enum Waiting {
        /** The request pauses for a random while and asks again. */
        PULL,
        /** The request pauses until the store hints that the name may be free. */
        WATCH,
        /** The request waits in the store's queue, and the store pushes the grant. */
        QUEUE
    }

    static QueueRules of(StoreInfo info, Waiting waiting, long handoffNanos) {
        Duration pause = info.pauseMin().plus(info.pauseRandom());
        return new QueueRules(
                waiting,
                info.location(),
                info.ioTimeout().toNanos(),
                handoffNanos,
                pause.compareTo(Claim.LONGEST_PAUSE) < 0 ? pause : Claim.LONGEST_PAUSE);
    }
}
