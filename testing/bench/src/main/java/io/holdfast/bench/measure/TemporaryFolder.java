package io.holdfast.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A folder for the time of a measurement. */
public final class TemporaryFolder implements AutoCloseable {
    private final Path path;

    public TemporaryFolder() throws IOException {
        path = Files.createTempDirectory("holdfast-bench-");
    }

    public Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> content = Files.walk(path)) {
            for (Path file : content.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
