package io.holdfast.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class ShellLoopsTest {
    private static final Run SHORT = new Run(Duration.ofMillis(50), Duration.ofMillis(500), true);

    @TempDir
    private Path folder = Path.of("");

    @Test
    void loopsWithoutALockAreBroken() throws Exception {
        Measurement measurement = new ShellLoops(List.of("env"), Map.of(), folder).measure(SHORT);
        assertThat(measurement.violations()).isNotEmpty();
    }

    @Test
    void tokensThatDoNotGrowAreBroken() throws Exception {
        List<String> locked = List.of("flock", folder.resolve("x").toString(), "env", "HOLDFAST_TOKEN=7");
        assertThat(new ShellLoops(locked, Map.of(), folder).measure(SHORT).violations())
                .contains("token 7 was granted after token 7");
    }
}
