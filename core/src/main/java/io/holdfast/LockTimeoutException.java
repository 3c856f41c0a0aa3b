package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The lock was not obtained within the wait. Nothing of the attempt is left in the store. */
public final class LockTimeoutException extends HoldfastException {
    private final String lockName;

    // Holder is no Serializable; what it says is in the message as well.
    private final transient @Nullable Holder holder;
    private final @Nullable Duration remaining;

    /**
     * With what is known.
     *
     * @param message names the lock, its holder and the store
     * @param lockName the lock
     * @param holder the holder that was in the way last, if the store told one
     * @param remaining how long the obstacle lasts at most unless it is renewed, as the store told it last
     */
    public LockTimeoutException(
            String message, String lockName, @Nullable Holder holder, @Nullable Duration remaining) {
        super(message);
        this.lockName = lockName;
        this.holder = holder;
        this.remaining = remaining;
    }

    /** The lock that was not obtained; of several, the one that was not. */
    public String lockName() {
        return lockName;
    }

    /**
     * One of the holders, as the store told it with its last refusal. Empty if the store did not tell one, if the lock is
     * closed by a lock-delay, or if the request waited behind others of its own client.
     */
    public Optional<Holder> holder() {
        return Optional.ofNullable(holder);
    }

    /**
     * How long the obstacle lasts at most unless it is renewed, as the store told it with its last refusal: a reason to
     * try again later, not a promise. Empty if the store did not tell it.
     */
    public Optional<Duration> remaining() {
        return Optional.ofNullable(remaining);
    }
}
