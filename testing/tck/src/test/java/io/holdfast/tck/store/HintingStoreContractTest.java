package io.holdfast.tck.store;

import io.holdfast.tck.HintingStore;
import io.holdfast.tck.MemoryFixture;
import io.holdfast.tck.StoreFixture;

/** {@link HintingStore}, over which the engine with hints is tested, keeps the contract. */
class HintingStoreContractTest extends WatchableStoreContract {
    @Override
    protected StoreFixture fixture() {
        return MemoryFixture.hinted();
    }
}
