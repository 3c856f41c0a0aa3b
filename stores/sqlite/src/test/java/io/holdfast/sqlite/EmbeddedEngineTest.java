package io.holdfast.sqlite;

import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.engine.EngineContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The engine over the embedded store on the real machine, with other processes, through the blocking API. */
final class EmbeddedEngineTest extends EngineContract {
    @TempDir
    Path folder = Path.of("");

    @Override
    protected StoreFixture fixture() {
        return EmbeddedFixture.real(folder);
    }
}
