package io.holdfast.tck;

/** {@link io.holdfast.memory.MemoryLockStore} keeps the contract. */
class MemoryLockStoreContractTest extends QueueingStoreContract {
    @Override
    protected StoreFixture fixture() {
        return new MemoryFixture();
    }
}
