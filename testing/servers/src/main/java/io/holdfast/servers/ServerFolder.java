package io.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A server's own temporary folder: {@code data/}, which a restart keeps or wipes, and {@code log}. */
final class ServerFolder {
    private static final int TAIL = 40;

    private final Path root;

    ServerFolder(String name) {
        try {
            root = Files.createTempDirectory("holdfast-" + name + "-");
            Files.createDirectory(data());
        } catch (IOException e) {
            throw new UncheckedIOException("no folder for " + name, e);
        }
    }

    Path root() {
        return root;
    }

    Path data() {
        return root.resolve("data");
    }

    Path log() {
        return root.resolve("log");
    }

    boolean isPrepared() {
        try (Stream<Path> content = Files.list(data())) {
            return content.findAny().isPresent();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void wipeData() {
        delete(data());
        try {
            Files.createDirectory(data());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void delete() {
        delete(root);
    }

    /** The last lines of the log, for error messages. Never throws: it is asked when something is wrong already. */
    String tail() {
        try {
            List<String> lines = new String(Files.readAllBytes(log()), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            return lines.isEmpty()
                    ? "(the log is empty)"
                    : String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL), lines.size()));
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }

    static void delete(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> content = Files.walk(folder)) {
            for (Path path : content.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + folder, e);
        }
    }
}
