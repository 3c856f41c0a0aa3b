package io.holdfast;

/**
 * The lease did not last: somebody else may have held the lock meanwhile. What the holder wrote through a guard is
 * safe; anything else has to be checked.
 */
public final class LeaseLostException extends HoldfastException {
    private final Loss loss;

    /** Of a loss. */
    public LeaseLostException(Loss loss) {
        super("the lease of lock '" + loss.lockName() + "' (token " + loss.token() + ") was lost: " + loss.detail());
        this.loss = loss;
    }

    /** Why the lease was lost. */
    public LossReason reason() {
        return loss.reason();
    }

    /** The token of the lost lease. */
    public long token() {
        return loss.token();
    }

    /** All that is known of the loss. */
    public Loss loss() {
        return loss;
    }
}
