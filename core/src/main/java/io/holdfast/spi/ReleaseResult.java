package io.holdfast.spi;

import io.holdfast.Holder;
import org.jspecify.annotations.Nullable;

/** The answer to {@link LockStore#release}. */
public sealed interface ReleaseResult {
    /** The claim held the lock, or kept it closed by its lock-delay, and does so no more. */
    record Released() implements ReleaseResult {
        /** Without allocation. */
        public static final Released INSTANCE = new Released();
    }

    /**
     * The claim did not hold the lock.
     *
     * @param takenBy who holds it now, if anybody
     */
    record NotHeld(@Nullable Holder takenBy) implements ReleaseResult {}
}
