package io.holdfast.bench.library;

import io.holdfast.bench.measure.LockClient;
import io.holdfast.bench.question.Question;
import io.holdfast.bench.workload.Kind;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * A lock library over a store: Holdfast, a peer for the same store, or raw commands as a floor.
 *
 * @param title its name in the report
 * @param kind what it is
 * @param opening how a client of it is opened
 * @param absent the ids of questions in which it does not take part, see {@link Question#id()}
 */
public record LockLibrary(String title, Kind kind, Opening opening, Set<String> absent) {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Copies the set. */
    public LockLibrary {
        absent = Set.copyOf(absent);
    }

    /** Opens clients. */
    @FunctionalInterface
    public interface Opening {
        /** A client of the store at this URL, whose locks live so long after the death of their holder. */
        LockClient open(String url, Duration ttl) throws Exception;
    }

    /** Another library. */
    public static LockLibrary peer(String title, Opening opening) {
        return new LockLibrary(title, Kind.PEER, opening, Set.of());
    }

    /** The least that one could do. */
    public static LockLibrary floor(String title, Opening opening) {
        return new LockLibrary(title, Kind.FLOOR, opening, Set.of());
    }

    /** The same, but absent where these questions are asked too. */
    public LockLibrary without(String... questions) {
        Set<String> all = new HashSet<>(absent);
        all.addAll(Arrays.asList(questions));
        return new LockLibrary(title, kind, opening, all);
    }

    public LockClient open(String url, Duration ttl) {
        try {
            return opening.open(url, ttl);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(title + " cannot be opened", e);
        }
    }

    /**
     * The same in a JVM that has just started, with one pair of a name of its own. On a busy machine its first connection
     * may take longer than the library waits, and that is not what is measured, so it is tried again.
     */
    public LockClient openCold(String url, Duration ttl) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            LockClient client = null;
            try {
                client = open(url, ttl);
                client.once();
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
