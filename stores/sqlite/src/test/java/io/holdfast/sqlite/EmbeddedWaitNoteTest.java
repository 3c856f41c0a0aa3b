package io.holdfast.sqlite;

import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.store.WaitNoteContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

final class EmbeddedWaitNoteTest extends WaitNoteContract {
    @TempDir
    Path folder = Path.of("");

    @Override
    protected StoreFixture fixture() {
        return EmbeddedFixture.real(folder);
    }
}
