package io.holdfast.cli.output;

import io.holdfast.Holder;
import io.holdfast.LockStatus;
import io.holdfast.Mode;
import java.util.List;
import java.util.Locale;

/** How locks and their holders are put into words and into JSON, the same everywhere. */
public final class Wording {
    private Wording() {}

    /** As in {@code held}, {@code held, revoked}, {@code lock-delay}, {@code free}. */
    public static String state(LockStatus status) {
        if (status.held()) {
            return status.revoked() ? "held, revoked" : "held";
        }
        return status.lockDelay().isZero() ? "free" : "lock-delay";
    }

    /** Who holds it and where: host, process id and label are the holder's, the store is ours. */
    public static String heldBy(Holder holder, String store) {
        return "held by " + holder.label() + ", " + mode(holder.mode()) + ", token " + holder.token() + ", "
                + Spoken.of(holder.remaining()) + " left of " + Spoken.of(holder.ttl()) + ", in " + store;
    }

    /** How many wait; a dash if the store does not know. Embedded, SQL and Redlock keep no list of waiters. */
    public static String waiting(LockStatus status, String storeUrl) {
        boolean unknown = status.waiting() == 0
                && (storeUrl.startsWith("sqlite:") || storeUrl.startsWith("jdbc:") || storeUrl.startsWith("redlock:"));
        return unknown ? "-" : Integer.toString(status.waiting());
    }

    /** The mode in one word. */
    public static String mode(Mode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }

    /** A lock for machines. */
    public static Json json(LockStatus status, String store) {
        List<Json> holders = status.holders().stream().map(Wording::json).toList();
        return new Json()
                .with("lock", status.lockName())
                .with("store", store)
                .with("state", status.held() ? "held" : state(status))
                .with("revoked", status.revoked())
                .with("holders", holders)
                .with("waiting", status.waiting())
                .with("lockDelayMillis", status.lockDelay().toMillis())
                .with("lastToken", Long.toString(status.lastToken()))
                .with("tokenLeadMillis", status.tokenLead().toMillis());
    }

    /** A holder for machines. */
    public static Json json(Holder holder) {
        return new Json()
                .with("holder", holder.label())
                .with("clientId", holder.clientId())
                .with("mode", mode(holder.mode()))
                .with("token", Long.toString(holder.token()))
                .with("span", holder.span())
                .with("ttlMillis", holder.ttl().toMillis())
                .with("remainingMillis", holder.remaining().toMillis());
    }
}
