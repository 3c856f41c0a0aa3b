package io.holdfast.etcd;

import io.holdfast.LockNames;
import io.holdfast.etcd.line.Tokens;
import io.holdfast.spi.StoreUrl;
import java.time.Duration;
import java.util.Set;

/**
 * The options of an etcd URL, apart from the servers' addresses, login and TLS.
 *
 * @param namespace separates applications that share one etcd; empty for none
 * @param ioTimeout the longest that a verb of the store takes
 * @param tokens the rule for tokens, with the {@code tokenBase}
 */
record EtcdConfig(String namespace, Duration ioTimeout, Tokens tokens) {
    static final Set<String> OPTIONS = Set.of("namespace", "ioTimeout", "tokenBase");
    static final EtcdConfig DEFAULTS = new EtcdConfig("", Duration.ofSeconds(2), new Tokens(0));

    /** Checks the ranges. */
    EtcdConfig {
        if (!namespace.isEmpty()) {
            LockNames.check("namespace", namespace);
        }
        if (ioTimeout.toMillis() < 10 || ioTimeout.toMinutes() > 1) {
            throw new IllegalArgumentException("option ioTimeout: 10ms to 1m, but got " + ioTimeout);
        }
    }

    /** Reads the options of a URL; {@code namespace} is the client's own. */
    static EtcdConfig of(StoreUrl url, String namespace) {
        String ofUrl = url.option("namespace").orElse(namespace);
        if (!namespace.isEmpty() && !namespace.equals(ofUrl)) {
            throw new IllegalArgumentException("store URL '" + url + "' has the namespace '" + ofUrl
                    + "' and the client has '" + namespace + "': give one of them");
        }
        return new EtcdConfig(ofUrl, url.duration("ioTimeout", DEFAULTS.ioTimeout), tokens(url));
    }

    private static Tokens tokens(StoreUrl url) {
        String value = url.option("tokenBase").orElse("0");
        try {
            return new Tokens(Long.parseLong(value));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "store URL '" + url + "': option tokenBase is a whole number, not '" + value + "'");
        }
    }
}
