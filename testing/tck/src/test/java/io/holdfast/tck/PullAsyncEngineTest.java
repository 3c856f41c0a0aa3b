package io.holdfast.tck;

import org.junit.jupiter.api.parallel.Isolated;

/** The engine over a store that can only be pulled, asynchronously. */
@Isolated("it looks at all threads of the JVM")
class PullAsyncEngineTest extends AsyncEngineContract {
    @Override
    protected StoreFixture fixture() {
        return MemoryFixture.pulled();
    }
}
