package io.holdfast.tck;

/** The engine over a store that can only be pulled. */
class PullEngineTest extends EngineContract {
    @Override
    protected StoreFixture fixture() {
        return MemoryFixture.pulled();
    }
}
