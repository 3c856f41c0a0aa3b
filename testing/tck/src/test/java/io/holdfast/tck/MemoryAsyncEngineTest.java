package io.holdfast.tck;

/** The engine over the memory store, through the asynchronous API. */
class MemoryAsyncEngineTest extends AsyncEngineContract {
    @Override
    protected StoreFixture fixture() {
        return new MemoryFixture();
    }
}
