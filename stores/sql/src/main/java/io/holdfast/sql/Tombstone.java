package io.holdfast.sql;

import java.time.Duration;

/** What became of a holder that is not granted again (L1). */
enum Tombstone {
    /** It was released, or its lease ran out. */
    ENDED,
    /** It was revoked. */
    REVOKED;

    /** How long it is kept at least. */
    static final Duration LIFE = Duration.ofSeconds(10);
}
