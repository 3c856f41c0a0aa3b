package io.holdfast.tck.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.tck.Clause;
import io.holdfast.tck.TestTime;
import io.holdfast.tck.process.CounterProcess;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several processes, for stores that more than one process can open. */
interface ProcessClauses extends EngineClauses {
    @Test
    @Clause("P1, P2")
    default void eightThreadsInEachOfFourProcessesIncrementACounter(@TempDir Path folder) throws Exception {
        Optional<String> url = world().fixture().url();
        assumeTrue(url.isPresent(), "the store cannot be opened by other processes");
        Path file = folder.resolve("counter");
        Files.writeString(file, "0");
        List<Process> processes = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                processes.add(new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                CounterProcess.class.getName(),
                                url.get(),
                                file.toString(),
                                "8",
                                "10")
                        .redirectErrorStream(true)
                        .redirectOutput(new File(folder.toFile(), "process-" + i + ".log"))
                        .start());
            }
            for (int i = 0; i < processes.size(); i++) {
                boolean ended = processes
                        .get(i)
                        .waitFor(TestTime.patience().multipliedBy(6).toSeconds(), TimeUnit.SECONDS);
                String log = Files.readString(folder.resolve("process-" + i + ".log"));
                assertThat(ended).as("process %s ended; it said: %s", i, log).isTrue();
                assertThat(processes.get(i).exitValue()).as(log).isZero();
            }
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
        assertThat(Files.readString(file)).isEqualTo("320");
        List<Long> tokens = Files.readAllLines(Path.of(file + ".tokens")).stream()
                .map(Long::valueOf)
                .toList();
        assertThat(tokens).hasSize(320).isSorted().doesNotHaveDuplicates();
    }
}
