package io.holdfast.etcd;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Term;

/**
 * What the parts of the store share.
 *
 * @param wire the calls
 * @param keys where everything is
 * @param tokens tokens from revisions
 * @param clock the client's clock and timers
 * @param book the client's claims
 * @param sessions the client's leases
 * @param ioNanos the longest a verb takes
 */
record Env(EtcdWire wire, KeySpace keys, Tokens tokens, Clock clock, Book book, Sessions sessions, long ioNanos) {
    /** The time that is left of a verb about this claim that began at {@code began}: at most a third of the TTL. */
    long left(Claim claim, long began) {
        return Math.min(ioNanos, claim.ttl().toNanos() / 3) - (clock.nanos() - began);
    }

    /** The time that is left of a verb that began at {@code began}. */
    long left(long began) {
        return ioNanos - (clock.nanos() - began);
    }

    /**
     * The grant of a claim that a request sent at {@code sent} found to hold. U3: it ends with its TTL or with its
     * etcd lease, whichever is first, the lease being counted from before its last answered keep-alive.
     */
    Granted grant(Place place, long sent) {
        return new Granted(tokens.first(place.createRevision()), place.claim.span(), term(place, sent));
    }

    /** From {@code sent} to the end of the claim's TTL, or to that of its etcd lease if it is earlier. */
    Term term(Place place, long sent) {
        long nanos = Math.min(place.endsAt() - sent, place.session().validUntil() - sent);
        return new Term(sent, Math.max(1, nanos));
    }

    /** The failure of a call after another of the same verb had put a key: whatever it was, the key may be there. */
    static StoreUnavailableException unknown(Throwable failure) {
        Throwable cause = Failures.unwrapped(failure);
        return cause instanceof StoreUnavailableException known && known.outcomeUnknown()
                ? known
                : new StoreUnavailableException(String.valueOf(cause.getMessage()), true, cause);
    }

    StoreUnavailableException withdrawn(Claim claim) {
        return new StoreUnavailableException(
                "the request of " + claim.label() + " for lock '" + claim.lockName()
                        + "' was withdrawn before it arrived; ask again with a new holder id",
                false,
                null);
    }
}
