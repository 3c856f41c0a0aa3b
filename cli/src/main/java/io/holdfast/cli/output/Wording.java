package io.holdfast.cli.output;

import io.holdfast.Holder;
import io.holdfast.LockStatus;
import io.holdfast.Mode;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How locks and their holders are put into words and into JSON, the same everywhere. */
public final class Wording {
    private static final String UNKNOWN = "-";

    private Wording() {}

    /** As in {@code held}, {@code held, revoked}, {@code lock-delay}, {@code free}. */
    public static String state(LockStatus status) {
        if (status.held()) {
            return status.revoked() ? "held, revoked" : "held";
        }
        return status.lockDelay().isZero() ? "free" : "lock-delay";
    }

    /** Host, process id and label are the holder's, the times are the store's. */
    public static String heldBy(LockStatus status, Holder holder, Source source) {
        return "held by " + identity(holder) + since(status, holder, source) + ", "
                + DurationText.of(holder.remaining()) + " left of " + DurationText.of(holder.ttl());
    }

    /** What does not change while it is held. */
    static String identity(Holder holder) {
        return holder.label() + ", " + mode(holder.mode()) + ", token " + holder.token();
    }

    private static String since(LockStatus status, Holder holder, Source source) {
        return GrantTime.of(status, holder, source)
                .map(since -> ", since " + since)
                .orElse("");
    }

    /** For how long a holder has held the lock; a dash if the store does not tell it. */
    public static String age(LockStatus status, Holder holder, Source source) {
        return GrantTime.age(status, holder, source).map(DurationText::of).orElse(UNKNOWN);
    }

    /** How many wait; a dash if the store does not know. */
    public static String waiting(LockStatus status, Source source) {
        return knowsWaiting(status, source) ? Integer.toString(status.waiting()) : UNKNOWN;
    }

    private static boolean knowsWaiting(LockStatus status, Source source) {
        return source.tellsWaiting() || status.waiting() > 0;
    }

    /** The mode in one word. */
    public static String mode(Mode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }

    /** A lock for machines. */
    public static Json json(LockStatus status, Source source) {
        List<Json> holders = status.holders().stream()
                .map(holder -> json(holder, GrantTime.of(status, holder, source)))
                .toList();
        Json json = new Json()
                .with("lock", status.lockName())
                .with("store", source.store())
                .with("namespace", source.namespace())
                .with("state", status.held() ? "held" : state(status))
                .with("revoked", status.revoked())
                .with("holders", holders);
        return (knowsWaiting(status, source) ? json.with("waiting", status.waiting()) : json)
                .with("lockDelayMillis", status.lockDelay().toMillis())
                .with("lastToken", Long.toString(status.lastToken()))
                .with("tokenLeadMillis", status.tokenLead().toMillis());
    }

    /** A holder for machines. */
    static Json json(Holder holder, Optional<Instant> since) {
        HolderLabel label = HolderLabel.of(holder.label());
        Json json = new Json()
                .with("holder", holder.label())
                .with("host", label.host())
                .with("pid", label.pid().isEmpty() ? 0 : Long.parseLong(label.pid()))
                .with("label", label.label())
                .with("clientId", holder.clientId())
                .with("mode", mode(holder.mode()))
                .with("token", Long.toString(holder.token()))
                .with("span", holder.span())
                .with("ttlMillis", holder.ttl().toMillis())
                .with("remainingMillis", holder.remaining().toMillis());
        return since.isPresent() ? json.with("since", since.get().toString()) : json;
    }
}
