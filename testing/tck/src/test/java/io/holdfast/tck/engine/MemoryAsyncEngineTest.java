package io.holdfast.tck.engine;

import io.holdfast.tck.MemoryFixture;
import io.holdfast.tck.StoreFixture;
import org.junit.jupiter.api.parallel.Isolated;

/** The engine over the memory store, through the asynchronous API. */
@Isolated("it looks at all threads of the JVM")
class MemoryAsyncEngineTest extends AsyncEngineContract {
    @Override
    protected StoreFixture fixture() {
        return new MemoryFixture();
    }
}
