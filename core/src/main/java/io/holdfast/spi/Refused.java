package io.holdfast.spi;

import io.holdfast.Holder;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Somebody else has the lock, or it is in lock-delay, or others wait before this claim. Nothing of the claim is left
 * in the store.
 *
 * @param heldBy one of the holders, if the store knows
 * @param remaining how long the obstacle lasts at most if nobody renews it, if the store knows
 * @param inLockDelay whether nobody holds it and the lock-delay of a lost lease keeps it closed
 * @param retryAfter a time before which another try is not worthwhile, if the store knows one
 */
public record Refused(
        @Nullable Holder heldBy,
        @Nullable Duration remaining,
        boolean inLockDelay,
        @Nullable Duration retryAfter) implements AcquireResult {}
