package io.holdfast.tck.engine;

import io.holdfast.tck.MemoryFixture;
import io.holdfast.tck.StoreFixture;
import org.junit.jupiter.api.parallel.Isolated;

/** The engine over a store that offers pull mode only. */
@Isolated("it looks at all threads of the JVM")
class PullEngineTest extends EngineContract {
    @Override
    protected StoreFixture fixture() {
        return MemoryFixture.pulled();
    }
}
