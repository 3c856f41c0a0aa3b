package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContentionTest {
    private static final int PROCESSES = 6;

    @TempDir
    Path folder;

    @Test
    void onlyOneCommandRunsAtATime() {
        String store = "sqlite:" + folder.resolve("locks.db");
        // A read-modify-write of a file that two at a time would spoil, and a folder that two cannot make.
        String script = "mkdir alone || exit 99; n=$(cat counter 2>/dev/null || echo 0); sleep 0.05;"
                + " echo $((n + 1)) >counter; echo $HOLDFAST_TOKEN >>tokens; rmdir alone";
        List<Spawned> runs = new ArrayList<>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                runs.add(Spawned.holdfast(folder, store, "run", "x", "--wait", "1m", "--", "sh", "-c", script));
            }
            for (Spawned run : runs) {
                assertThat(run.exitCode()).as(run.err()).isZero();
            }
        } finally {
            runs.forEach(Spawned::close);
        }
        assertThat(Spawned.text(folder.resolve("counter")).strip()).isEqualTo(Integer.toString(PROCESSES));
        List<Long> tokens = Spawned.text(folder.resolve("tokens"))
                .lines()
                .map(Long::valueOf)
                .toList();
        assertThat(tokens).hasSize(PROCESSES).isSorted().doesNotHaveDuplicates();
    }
}
