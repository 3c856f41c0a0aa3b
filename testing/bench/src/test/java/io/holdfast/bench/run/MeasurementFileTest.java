package io.holdfast.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.bench.workload.Measurement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("quick")
class MeasurementFileTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void whatIsWrittenIsRead() throws Exception {
        Measurement measurement = Measurement.of("ops/s", 1.0 / 3)
                .with("max/min per thread", 2)
                .with("tiny", 1e-300)
                .with(List.of("two holders", "token 1 after 2"));
        MeasurementFile.write(folder.resolve("m"), measurement);
        Measurement read = MeasurementFile.read(folder.resolve("m"));
        assertThat(read).isEqualTo(measurement);
        assertThat(read.values().keySet()).containsExactly("ops/s", "max/min per thread", "tiny");
    }

    @Test
    void aTruncatedFileIsAnErrorAndNotAShortMeasurement() throws Exception {
        Path file = folder.resolve("m");
        MeasurementFile.write(file, Measurement.of("ops/s", 5).with(List.of("two holders")));
        String text = Files.readString(file);
        for (int length = 0; length < text.length() - 1; length++) {
            Files.writeString(file, text.substring(0, length));
            assertThatThrownBy(() -> MeasurementFile.read(file)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aNumberThatIsNoneIsRefused() {
        assertThatThrownBy(() -> Measurement.of("ops/s", Double.NaN)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Measurement.of("ops/s", 1.0 / 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
