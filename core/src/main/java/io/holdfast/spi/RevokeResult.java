package io.holdfast.spi;

import java.time.Duration;

/** The answer to {@link LockStore#revoke}. */
public sealed interface RevokeResult {
    /**
     * The grants of this name are revoked.
     *
     * @param opensIn how long until the name opens at the latest; zero if it is open now
     */
    record Revoked(Duration opensIn) implements RevokeResult {}

    /** Nobody held the name and no lock-delay kept it closed. */
    record NotHeld() implements RevokeResult {}
}
