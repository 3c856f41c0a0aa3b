package io.holdfast.tck.store;

/** What every {@link io.holdfast.spi.WatchableStore} promises: all of {@link LockStoreContract}, and its hints. */
public abstract class WatchableStoreContract extends LockStoreContract implements WatchClauses {
    /** For the test of a store. */
    protected WatchableStoreContract() {}
}
