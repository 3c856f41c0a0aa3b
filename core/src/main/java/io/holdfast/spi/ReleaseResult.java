package io.holdfast.spi;

import io.holdfast.Holder;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The answer to {@link LockStore#release}. */
public sealed interface ReleaseResult {
    /**
     * The claim held the lock, or kept it closed by its lock-delay, and does so no more.
     *
     * @param standBack for how long this client leaves the name to the clients that wait for it: the longest pause noted
     *     by another client in the last 2 s (L21); zero if the store has a queue or no other client waits
     */
    record Released(Duration standBack) implements ReleaseResult {
        /** No other client is known to wait. */
        public static final Released INSTANCE = new Released(Duration.ZERO);
    }

    /**
     * The claim did not hold the lock.
     *
     * @param takenBy who holds it now, if anybody
     */
    record NotHeld(@Nullable Holder takenBy) implements ReleaseResult {}
}
