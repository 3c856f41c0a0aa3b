package io.holdfast.tck.engine;

import io.holdfast.tck.MemoryFixture;
import io.holdfast.tck.StoreFixture;
import org.junit.jupiter.api.parallel.Isolated;

/** The engine over a store that offers pull mode only, through the asynchronous API. */
@Isolated("it looks at all threads of the JVM")
class PullAsyncEngineTest extends AsyncEngineContract {
    @Override
    protected StoreFixture fixture() {
        return MemoryFixture.pulled();
    }
}
