package io.holdfast.tck.engine;

import io.holdfast.tck.MemoryFixture;
import io.holdfast.tck.StoreFixture;
import org.junit.jupiter.api.parallel.Isolated;

/** The engine over a store in pull mode with hints. */
@Isolated("it looks at all threads of the JVM")
class WatchEngineTest extends EngineContract {
    @Override
    protected StoreFixture fixture() {
        return MemoryFixture.hinted();
    }
}
