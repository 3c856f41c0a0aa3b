package io.holdfast.etcd;

import io.holdfast.StoreUnavailableException;
import io.holdfast.etcd.client.Deadline;
import io.holdfast.etcd.client.EtcdCalls;
import io.holdfast.etcd.client.Failures;
import io.holdfast.etcd.line.KeySpace;
import io.holdfast.etcd.line.LineReads;
import java.time.Duration;
import java.util.concurrent.CompletionException;

/** Checks, when a store is opened, that a server answers and lets this user read. */
final class ServerCheck {
    /**
     * The first call connects, logs in and, in a young JVM, loads a few thousand classes. A server that cannot be
     * reached is reported earlier, after the I/O timeout.
     */
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private ServerCheck() {}

    static void run(EtcdCalls calls, EtcdConfig config) {
        KeySpace keys = new KeySpace(config.namespace());
        try {
            calls.read(LineReads.whole(keys, "?"), Deadline.after(TIMEOUT.toNanos()))
                    .join();
        } catch (CompletionException e) {
            StoreUnavailableException failure = Failures.of(calls.where(), e);
            throw new StoreUnavailableException(String.valueOf(failure.getMessage()), false, failure.getCause());
        }
    }
}
