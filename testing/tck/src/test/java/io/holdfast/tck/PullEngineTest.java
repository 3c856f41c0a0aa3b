package io.holdfast.tck;

import org.junit.jupiter.api.parallel.Isolated;

/** The engine over a store that can only be pulled. */
@Isolated("it looks at all threads of the JVM")
class PullEngineTest extends EngineContract {
    @Override
    protected StoreFixture fixture() {
        return MemoryFixture.pulled();
    }
}
