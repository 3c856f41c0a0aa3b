package io.holdfast.spec;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** TLC in a JVM of its own (it keeps its state in static fields), on a model beside this class. */
final class ModelChecker {
    /** TLC's exit code when every reachable state was visited and none breaks an invariant. */
    static final int HOLDS = 0;
    /** TLC's exit code for a broken invariant. */
    static final int BROKEN = 12;

    /**
     * What TLC found.
     *
     * @param exit its exit code
     * @param output what it printed, with the trace to a broken state
     */
    record Finding(int exit, String output) {
        boolean breaks(String invariant) {
            return exit == BROKEN && output.contains("Invariant " + invariant + " is violated");
        }
    }

    private final String model;
    private final Path folder;
    private final Map<String, String> constants = new LinkedHashMap<>();
    private String heading = "";

    ModelChecker(String model, Path folder) {
        this.model = model;
        this.folder = folder;
    }

    /** The lines of the configuration that are not constants. */
    ModelChecker heading(String value) {
        heading = value;
        return this;
    }

    ModelChecker constant(String name, Object value) {
        constants.put(name, String.valueOf(value));
        return this;
    }

    /** Visits every reachable state, or stops at the first that breaks an invariant. */
    Finding check(Duration atMost) throws InterruptedException {
        try {
            write();
            Path output = folder.resolve("tlc.out");
            Process tlc = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:+UseParallelGC",
                            "-Xmx1g",
                            "-cp",
                            System.getProperty("java.class.path"),
                            "tlc2.TLC",
                            "-workers",
                            "auto",
                            "-metadir",
                            folder.resolve("states").toString(),
                            model + ".tla")
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            try {
                if (!tlc.waitFor(atMost.toSeconds(), TimeUnit.SECONDS)) {
                    throw new AssertionError("TLC has not finished after " + atMost + ":\n" + Files.readString(output));
                }
            } finally {
                tlc.destroyForcibly().waitFor();
            }
            return new Finding(tlc.exitValue(), Files.readString(output));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write() throws IOException {
        try (InputStream in = ModelChecker.class.getResourceAsStream(model + ".tla")) {
            if (in == null) {
                throw new IllegalStateException(model + ".tla is not beside " + ModelChecker.class.getName());
            }
            Files.write(folder.resolve(model + ".tla"), in.readAllBytes());
        }
        StringBuilder config = new StringBuilder(heading).append("\nCONSTANTS\n");
        constants.forEach((name, value) ->
                config.append("  ").append(name).append(" = ").append(value).append('\n'));
        Files.writeString(folder.resolve(model + ".cfg"), config, StandardCharsets.UTF_8);
    }
}
