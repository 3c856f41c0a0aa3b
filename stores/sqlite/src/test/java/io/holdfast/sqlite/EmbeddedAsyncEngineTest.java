package io.holdfast.sqlite;

import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.engine.AsyncEngineContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The engine over the embedded store, through the asynchronous API, with clocks that the suite moves. */
final class EmbeddedAsyncEngineTest extends AsyncEngineContract {
    @TempDir
    Path folder = Path.of("");

    @Override
    protected StoreFixture fixture() {
        return EmbeddedFixture.steered(folder);
    }
}
