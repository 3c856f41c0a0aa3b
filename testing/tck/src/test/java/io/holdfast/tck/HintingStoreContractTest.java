package io.holdfast.tck;

/** {@link HintingStore}, on which the watching engine is tested, is a store. */
class HintingStoreContractTest extends WatchableStoreContract {
    @Override
    protected StoreFixture fixture() {
        return MemoryFixture.hinted();
    }
}
