package io.holdfast.tck;

/** The engine over a store that can only be pulled, asynchronously. */
class PullAsyncEngineTest extends AsyncEngineContract {
    @Override
    protected StoreFixture fixture() {
        return MemoryFixture.pulled();
    }
}
