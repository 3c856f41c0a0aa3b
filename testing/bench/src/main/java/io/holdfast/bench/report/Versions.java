package io.holdfast.bench.report;

import java.io.File;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** The versions of the libraries on a class path, from the names of their jars. */
public final class Versions {
    private Versions() {}

    /** By artifact, sorted. {@code b-1.2.jar} is {@code b} and {@code 1.2}; folders have no version. */
    public static Map<String, String> of(String classPath) {
        Map<String, String> versions = new TreeMap<>();
        for (String entry : classPath.split(File.pathSeparator)) {
            String[] parts = String.valueOf(Path.of(entry).getFileName())
                    .replaceAll("\\.jar$", "")
                    .split("-(?=[0-9])", 2);
            if (entry.endsWith(".jar") && parts.length == 2) {
                versions.put(parts[0], parts[1]);
            }
        }
        return versions;
    }
}
