package io.holdfast.tck;

import org.junit.jupiter.api.parallel.Isolated;

/** The engine over a store that hints. */
@Isolated("it looks at all threads of the JVM")
class WatchEngineTest extends EngineContract {
    @Override
    protected StoreFixture fixture() {
        return MemoryFixture.hinted();
    }
}
