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
    private static final Duration PATIENCE = Duration.ofSeconds(60);

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

    /**
     * The same in a JVM that has just started, with one pair of a name of its own. On a busy machine its first connection
     * may take longer than the library waits, and that is not what is measured, so it is tried again.
     */
    LockClient openCold(String url, Duration ttl) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            LockClient client = null;
            try {
                client = open(url, ttl);
                LockClient.Handle first =
                        client.handle("first-" + ProcessHandle.current().pid());
                first.lock();
                first.unlock();
                return client;
            } catch (RuntimeException notYet) {
                if (client != null) {
                    client.close();
                }
                if (System.nanoTime() - end > 0) {
                    throw notYet;
                }
            }
        }
    }
}
