package io.holdfast.tck.store;

import io.holdfast.tck.MemoryFixture;
import io.holdfast.tck.StoreFixture;

/** {@link io.holdfast.memory.MemoryLockStore} keeps the contract. */
class MemoryLockStoreContractTest extends QueueingStoreContract {
    @Override
    protected StoreFixture fixture() {
        return new MemoryFixture();
    }
}
