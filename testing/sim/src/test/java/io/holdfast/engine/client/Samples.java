package io.holdfast.engine.client;

import io.holdfast.Mode;
import io.holdfast.engine.lease.Request;
import java.time.Duration;

/** Requests for the Lincheck tests, made before a model checker begins to watch. */
final class Samples {
    private static final Duration HOUR = Duration.ofHours(1);

    /** Exclusive, with a wait that does not end within the test. */
    static final Request WAITING = new Request(
            "x",
            Mode.EXCLUSIVE,
            1,
            HOUR.toNanos(),
            HOUR,
            HOUR,
            HOUR.toNanos(),
            Duration.ZERO,
            true,
            Request.FOREVER,
            "lincheck",
            false,
            255);

    private Samples() {}
}
