package io.holdfast.tck;

/** The engine over the memory store, through the blocking API. */
class MemoryEngineTest extends EngineContract {
    @Override
    protected StoreFixture fixture() {
        return new MemoryFixture();
    }
}
