package io.holdfast;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one acquisition asks for. Immutable; every method returns a changed copy. Whatever is not set comes from the
 * client's defaults. Nothing said here changes another request, be it of the same lock.
 */
public final class LockOptions {
    /** The longest duration accepted anywhere: 365 days. */
    public static final Duration LONGEST = Duration.ofDays(365);

    /** The longest label, in characters. */
    public static final int LONGEST_LABEL = 256;

    /** The most passes of one grant between threads of a client: a grant reserves at most 256 tokens. */
    public static final int MOST_HANDOFFS = 255;

    private static final LockOptions DEFAULTS = new LockOptions(null, null, null, null, null, null, null, null);

    private final @Nullable Duration waitFor;
    private final @Nullable Duration ttl;
    private final @Nullable Duration lockDelay;
    private final @Nullable Boolean renewal;
    private final @Nullable Duration maxHold;
    private final @Nullable String label;
    private final @Nullable Boolean interruptOnLoss;
    private final @Nullable Integer handoffs;

    private LockOptions(
            @Nullable Duration waitFor,
            @Nullable Duration ttl,
            @Nullable Duration lockDelay,
            @Nullable Boolean renewal,
            @Nullable Duration maxHold,
            @Nullable String label,
            @Nullable Boolean interruptOnLoss,
            @Nullable Integer handoffs) {
        this.waitFor = waitFor;
        this.ttl = ttl;
        this.lockDelay = lockDelay;
        this.renewal = renewal;
        this.maxHold = maxHold;
        this.label = label;
        this.interruptOnLoss = interruptOnLoss;
        this.handoffs = handoffs;
    }

    /** Everything from the client's defaults. */
    public static LockOptions defaults() {
        return DEFAULTS;
    }

    /** Waits at most this long. Zero tries once and never waits for a holder. */
    public static LockOptions waitUpTo(Duration longest) {
        return DEFAULTS.waiting(longest);
    }

    /** Waits at most this long. Zero tries once and never waits for a holder. */
    public LockOptions waiting(Duration longest) {
        return new LockOptions(
                checked("wait", longest, true), ttl, lockDelay, renewal, maxHold, label, interruptOnLoss, handoffs);
    }

    /**
     * How long the store keeps this grant if nobody renews it. It does not switch renewal off ({@link #noRenewal()}
     * does), and the store refuses what it cannot keep.
     */
    public LockOptions ttl(Duration value) {
        return new LockOptions(
                waitFor, checked("ttl", value, false), lockDelay, renewal, maxHold, label, interruptOnLoss, handoffs);
    }

    /** How long the name stays closed to everyone if this lease ends without a release. */
    public LockOptions lockDelay(Duration value) {
        return new LockOptions(
                waitFor, ttl, checked("lockDelay", value, true), renewal, maxHold, label, interruptOnLoss, handoffs);
    }

    /** The lease ends after its TTL, however alive the holder is. */
    public LockOptions noRenewal() {
        return new LockOptions(waitFor, ttl, lockDelay, false, maxHold, label, interruptOnLoss, handoffs);
    }

    /** Renews for at most this long; then the lease is lost with {@link LossReason#MAX_HOLD}. */
    public LockOptions maxHold(Duration value) {
        return new LockOptions(
                waitFor, ttl, lockDelay, renewal, checked("maxHold", value, false), label, interruptOnLoss, handoffs);
    }

    /** Who holds the lock, for people; shown beside host and process id. */
    public LockOptions label(String value) {
        Objects.requireNonNull(value, "label");
        if (value.length() > LONGEST_LABEL || value.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("label: at most " + LONGEST_LABEL
                    + " characters and no control characters, but got " + value.length() + " characters");
        }
        return new LockOptions(waitFor, ttl, lockDelay, renewal, maxHold, value, interruptOnLoss, handoffs);
    }

    /** Interrupts the thread that acquired the lease when it is lost, never after {@code close()} returned. */
    public LockOptions interruptOnLoss() {
        return new LockOptions(waitFor, ttl, lockDelay, renewal, maxHold, label, true, handoffs);
    }

    /**
     * How often this grant may pass to another thread of the same client without asking the store, 0 to {@value
     * #MOST_HANDOFFS}. Zero switches the local hand-off off.
     */
    public LockOptions handoffs(int most) {
        if (most < 0 || most > MOST_HANDOFFS) {
            throw new IllegalArgumentException("handoffs: 0 to " + MOST_HANDOFFS + ", but got " + most);
        }
        return new LockOptions(waitFor, ttl, lockDelay, renewal, maxHold, label, interruptOnLoss, most);
    }

    /** These options, completed by {@code others} where nothing was set. */
    public LockOptions orElse(LockOptions others) {
        return this == DEFAULTS
                ? others
                : new LockOptions(
                        waitFor != null ? waitFor : others.waitFor,
                        ttl != null ? ttl : others.ttl,
                        lockDelay != null ? lockDelay : others.lockDelay,
                        renewal != null ? renewal : others.renewal,
                        maxHold != null ? maxHold : others.maxHold,
                        label != null ? label : others.label,
                        interruptOnLoss != null ? interruptOnLoss : others.interruptOnLoss,
                        handoffs != null ? handoffs : others.handoffs);
    }

    /** The wait, if set. */
    public Optional<Duration> waitFor() {
        return Optional.ofNullable(waitFor);
    }

    /** The TTL, if set. */
    public Optional<Duration> ttl() {
        return Optional.ofNullable(ttl);
    }

    /** The lock-delay, if set. */
    public Optional<Duration> lockDelay() {
        return Optional.ofNullable(lockDelay);
    }

    /** Whether the lease is renewed, if set. */
    public Optional<Boolean> renewal() {
        return Optional.ofNullable(renewal);
    }

    /** The longest hold, if set. */
    public Optional<Duration> maxHold() {
        return Optional.ofNullable(maxHold);
    }

    /** The label, if set. */
    public Optional<String> label() {
        return Optional.ofNullable(label);
    }

    /** Whether the holder is interrupted on loss, if set. */
    public Optional<Boolean> interruptsOnLoss() {
        return Optional.ofNullable(interruptOnLoss);
    }

    /** The most local hand-offs, if set. */
    public Optional<Integer> handoffs() {
        return Optional.ofNullable(handoffs);
    }

    private static Duration checked(String what, Duration value, boolean zeroAllowed) {
        Objects.requireNonNull(value, what);
        if (value.isNegative() || (value.isZero() && !zeroAllowed) || value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(what + ": "
                    + (zeroAllowed ? "zero to 365 days" : "more than zero and at most 365 days") + ", but got "
                    + value);
        }
        return value;
    }
}
