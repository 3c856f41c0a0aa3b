package io.holdfast.spi;

import io.holdfast.LossReason;

/** The answer of {@link LockStore#renew} for one claim. */
public sealed interface RenewResult {
    /** The grant is extended to this term. */
    record Renewed(Term term) implements RenewResult {}

    /** The claim holds nothing (any more): expired, revoked, taken by another, or the store lost its data. */
    record Lost(LossReason reason) implements RenewResult {}

    /** The store cannot tell for this claim; the old term stands and the renewal is worth repeating. */
    record Unanswered(Throwable cause) implements RenewResult {}
}
