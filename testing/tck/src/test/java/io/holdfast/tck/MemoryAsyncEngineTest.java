package io.holdfast.tck;

import org.junit.jupiter.api.parallel.Isolated;

/** The engine over the memory store, through the asynchronous API. */
@Isolated("it looks at all threads of the JVM")
class MemoryAsyncEngineTest extends AsyncEngineContract {
    @Override
    protected StoreFixture fixture() {
        return new MemoryFixture();
    }
}
