package io.holdfast.etcd;

import io.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;

/** Whether the servers answer and let this user read, before anybody relies on it. */
final class ServerCheck {
    /**
     * The first call connects and logs in, and loads a few thousand classes in a young JVM. A server that is not there
     * is noticed earlier, after the I/O timeout.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private ServerCheck() {}

    static void run(EtcdWire wire, EtcdConfig config) {
        KeySpace keys = new KeySpace(config.namespace());
        try {
            wire.txn(List.of(), LineReads.whole(keys, "?"), List.of(), PATIENCE.toNanos())
                    .join();
        } catch (CompletionException e) {
            StoreUnavailableException failure = Failures.of(wire.where(), e);
            throw new StoreUnavailableException(String.valueOf(failure.getMessage()), false, failure.getCause());
        }
    }
}
