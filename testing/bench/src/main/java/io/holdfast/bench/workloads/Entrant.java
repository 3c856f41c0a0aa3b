package io.holdfast.bench.workloads;

import io.holdfast.bench.Kind;
import java.time.Duration;

/**
 * A lock library over a store: ours, or a peer's for the same store.
 *
 * @param title its name in the report
 * @param kind what it is
 * @param opening how a client of it is opened
 */
record Entrant(String title, Kind kind, Opening opening) {
    /** Opens clients. */
    @FunctionalInterface
    interface Opening {
        /** A client of the store at this URL, whose locks live so long after the death of their holder. */
        LockClient open(String url, Duration ttl);
    }

    /** Another library. */
    static Entrant peer(String title, Opening opening) {
        return new Entrant(title, Kind.PEER, opening);
    }

    LockClient open(String url, Duration ttl) {
        return opening.open(url, ttl);
    }
}
