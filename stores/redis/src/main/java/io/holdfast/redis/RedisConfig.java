package io.holdfast.redis;

import io.holdfast.LockNames;
import io.holdfast.spi.StoreUrl;
import java.time.Duration;
import java.util.Set;

/**
 * What the options of a Redis URL say, apart from where the server is.
 *
 * @param namespace separates users of one Redis; empty for none
 * @param ioTimeout the longest a verb takes
 * @param pull whether to wait by asking again instead of being told
 * @param pauseMin the shortest pause between two tries in pull mode
 * @param pauseRandom the random part that is added to it
 * @param replicas how many replicas must have a grant or renewal before it counts; 0 for none
 * @param acceptEviction whether a server that may evict locks is accepted
 */
record RedisConfig(
        String namespace,
        Duration ioTimeout,
        boolean pull,
        Duration pauseMin,
        Duration pauseRandom,
        int replicas,
        boolean acceptEviction) {
    static final Set<String> OPTIONS =
            Set.of("namespace", "ioTimeout", "wait", "pauseMin", "pauseRandom", "replicas", "evict");
    static final RedisConfig DEFAULTS =
            new RedisConfig("", Duration.ofSeconds(1), false, Duration.ofMillis(15), Duration.ofMillis(15), 0, false);

    /** Checks the ranges. */
    RedisConfig {
        if (!namespace.isEmpty()) {
            LockNames.check("namespace", namespace);
        }
        if (ioTimeout.toMillis() < 10 || ioTimeout.toMinutes() > 1) {
            throw new IllegalArgumentException("option ioTimeout: 10ms to 1m, but got " + ioTimeout);
        }
        if (replicas < 0 || replicas > 100) {
            throw new IllegalArgumentException("option replicas: 0 to 100, but got " + replicas);
        }
    }

    /** The defaults in a namespace; empty for none. */
    static RedisConfig in(String namespace) {
        return new RedisConfig(
                namespace,
                DEFAULTS.ioTimeout,
                DEFAULTS.pull,
                DEFAULTS.pauseMin,
                DEFAULTS.pauseRandom,
                DEFAULTS.replicas,
                DEFAULTS.acceptEviction);
    }

    /** Reads the options of a URL; {@code namespace} is the client's own. */
    static RedisConfig of(StoreUrl url, String namespace) {
        String ofUrl = url.option("namespace").orElse(namespace);
        if (!namespace.isEmpty() && !namespace.equals(ofUrl)) {
            throw new IllegalArgumentException("store URL '" + url + "' has the namespace '" + ofUrl
                    + "' and the client has '" + namespace + "': give one of them");
        }
        return new RedisConfig(
                ofUrl,
                url.duration("ioTimeout", DEFAULTS.ioTimeout),
                choice(url, "wait", "push", "pull"),
                url.duration("pauseMin", DEFAULTS.pauseMin),
                url.duration("pauseRandom", DEFAULTS.pauseRandom),
                number(url, "replicas"),
                choice(url, "evict", "refuse", "accept"));
    }

    private static boolean choice(StoreUrl url, String option, String usual, String other) {
        String value = url.option(option).orElse(usual);
        if (!value.equals(usual) && !value.equals(other)) {
            throw new IllegalArgumentException("store URL '" + url + "': option " + option + " is '" + usual + "' or '"
                    + other + "', not '" + value + "'");
        }
        return value.equals(other);
    }

    private static int number(StoreUrl url, String option) {
        String value = url.option(option).orElse("0");
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "store URL '" + url + "': option " + option + " is a whole number, not '" + value + "'");
        }
    }
}
