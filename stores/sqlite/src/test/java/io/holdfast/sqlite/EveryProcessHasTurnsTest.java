package io.holdfast.sqlite;

import io.holdfast.tck.process.ProcessTurns;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** L12, L21, see {@link ProcessTurns}. */
@Tag("slow")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class EveryProcessHasTurnsTest {
    @TempDir
    Path folder = Path.of("");

    @Test
    void everyProcessHasItsTurns() throws Exception {
        ProcessTurns.assertShared("sqlite:" + folder.resolve("locks.db"), folder);
    }
}
