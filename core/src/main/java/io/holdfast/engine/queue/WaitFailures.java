package io.holdfast.engine.queue;

import io.holdfast.LockTimeoutException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.engine.lease.HeldGrant;
import io.holdfast.engine.runtime.Text;
import org.jspecify.annotations.Nullable;

/** What a request is told that got nothing. */
final class WaitFailures {
    private WaitFailures() {}

    /** The wait is over; {@code own} is the grant of this client that was in the way, if there is one. */
    static LockTimeoutException timeout(
            Waiter waiter, @Nullable Obstacle obstacle, @Nullable HeldGrant own, int waiting, String store, long now) {
        String name = waiter.request.lockName();
        String why = own != null
                ? "; held by this client (" + own.claim().label() + ") and " + waiting + " wait here"
                : Obstacle.text(obstacle, now);
        return new LockTimeoutException(
                "lock '" + name + "' was not obtained within " + Text.nanos(waiter.request.waitNanos()) + why
                        + " (store " + store + ")",
                name,
                own != null ? null : Obstacle.holder(obstacle, now),
                own != null ? null : Obstacle.remaining(obstacle, now));
    }

    /** A request that was not to wait met a lock that is not free, and throws. */
    static LockTimeoutException notFree(Waiter waiter, String store, long now) {
        String name = waiter.request.lockName();
        Obstacle obstacle = waiter.obstacle();
        return new LockTimeoutException(
                "lock '" + name + "' is not free and the request was not to wait" + Obstacle.text(obstacle, now)
                        + " (store " + store + ")",
                name,
                Obstacle.holder(obstacle, now),
                Obstacle.remaining(obstacle, now));
    }

    /** The store could not be asked when the wait was over (L14). */
    static StoreUnavailableException unreachable(Waiter waiter, String store, @Nullable Throwable cause) {
        return new StoreUnavailableException(
                "lock '" + waiter.request.lockName() + "' was not obtained within "
                        + Text.nanos(waiter.request.waitNanos()) + ": store " + store + " cannot be reached"
                        + (cause == null ? "" : " (" + cause.getMessage() + ")"),
                false,
                cause);
    }

    static StoreUnavailableException unanswered(String name, String store) {
        return new StoreUnavailableException(
                "store " + store + " did not answer the request for lock '" + name
                        + "' within its I/O timeout; whatever it granted is being released",
                true,
                null);
    }

    static StoreUnavailableException late(String name) {
        return new StoreUnavailableException(
                "the grant of lock '" + name + "' arrived after its TTL had ended", false, null);
    }

    static StoreUnavailableException unconfirmed(String name, @Nullable Throwable cause) {
        return new StoreUnavailableException(
                "the pushed grant of lock '" + name + "' could not be confirmed", false, cause);
    }
}
