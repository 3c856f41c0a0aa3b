package io.holdfast.tck.store;

/** What every {@link io.holdfast.spi.QueueingStore} promises: all of {@link LockStoreContract}, and Q1 to Q5. */
public abstract class QueueingStoreContract extends LockStoreContract
        implements QueueOrderClauses, QueueLifeClauses, ExchangeClauses {
    /** For the test of a store. */
    protected QueueingStoreContract() {}
}
