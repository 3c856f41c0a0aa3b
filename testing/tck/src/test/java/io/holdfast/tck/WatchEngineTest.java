package io.holdfast.tck;

/** The engine over a store that hints. */
class WatchEngineTest extends EngineContract {
    @Override
    protected StoreFixture fixture() {
        return MemoryFixture.hinted();
    }
}
