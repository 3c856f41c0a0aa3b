package io.holdfast.tck.store;

import io.holdfast.tck.HintingStore;
import io.holdfast.tck.MemoryFixture;
import io.holdfast.tck.StoreFixture;

/** {@link HintingStore}, on which the watching engine is tested, is a store. */
class HintingStoreContractTest extends WatchableStoreContract {
    @Override
    protected StoreFixture fixture() {
        return MemoryFixture.hinted();
    }
}
