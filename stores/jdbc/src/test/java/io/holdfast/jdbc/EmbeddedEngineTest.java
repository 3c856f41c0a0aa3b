package io.holdfast.jdbc;

import io.holdfast.tck.EngineContract;
import io.holdfast.tck.StoreFixture;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** The engine over the embedded store on the real machine, with other processes, through the blocking API. */
@Isolated("it looks for threads that clients left behind, and must not see those of other tests")
final class EmbeddedEngineTest extends EngineContract {
    @TempDir
    Path folder = Path.of("");

    @Override
    protected StoreFixture fixture() {
        return EmbeddedFixture.real(folder);
    }
}
