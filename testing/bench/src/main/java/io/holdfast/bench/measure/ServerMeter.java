package io.holdfast.bench.measure;

import io.holdfast.servers.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** What servers use of the machine, as the kernel counts it, their child processes included. */
public final class ServerMeter {
    private ServerMeter() {}

    /** Processor time since their start. */
    public static double cpuNanos(List<ServerProcess> servers) {
        return processes(servers)
                .mapToDouble(process ->
                        process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos())
                .sum();
    }

    /** Memory, of which a page that several processes share counts once (proportional set size). */
    public static double memoryBytes(List<ServerProcess> servers) {
        return processes(servers).mapToDouble(ServerMeter::memoryBytes).sum();
    }

    private static double memoryBytes(ProcessHandle process) {
        Path rollup = Path.of("/proc", Long.toString(process.pid()), "smaps_rollup");
        try (Stream<String> lines = Files.lines(rollup)) {
            return lines.filter(line -> line.startsWith("Pss:"))
                    .mapToDouble(line -> Double.parseDouble(line.replaceAll("[^0-9]", "")) * 1024)
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException("the kernel does not tell the memory of process " + process.pid(), e);
        }
    }

    private static Stream<ProcessHandle> processes(List<ServerProcess> servers) {
        return servers.stream()
                .flatMap(server -> ProcessHandle.of(server.pid()).stream())
                .flatMap(process -> Stream.concat(Stream.of(process), process.descendants()));
    }
}
