package io.holdfast.bench.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where and with what the measurement ran.
 *
 * @param date when it began, to the second
 * @param jdk version and vendor
 * @param os name, version and architecture
 * @param cpu the processor's name, if the system tells it
 * @param cores what the JVM sees
 * @param load the system's load average of the minute before; negative if unknown
 * @param commit what was measured, as the script that started the benchmark tells it
 * @param versions of the libraries on the class path, by artifact
 */
public record Machine(
        Instant date,
        String jdk,
        String os,
        String cpu,
        int cores,
        double load,
        String commit,
        Map<String, String> versions) {
    public static Machine here() {
        return new Machine(
                Instant.now().truncatedTo(ChronoUnit.SECONDS),
                System.getProperty("java.vm.version") + " " + System.getProperty("java.vendor"),
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"),
                cpuName().orElse("unknown"),
                Runtime.getRuntime().availableProcessors(),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(),
                System.getProperty("holdfast.bench.commit", "unknown"),
                Versions.of(System.getProperty("java.class.path")));
    }

    /** Whether others kept the machine busy, so that the numbers are worth less. */
    public boolean isBusy() {
        return load > cores * 0.25;
    }

    private static Optional<String> cpuName() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst();
        } catch (IOException notLinux) {
            return Optional.empty();
        }
    }
}
