package io.holdfast.arch;

import java.nio.file.Files;
import java.nio.file.Path;

/** Finds the root folder of the repository: the nearest one above this module that has a README and core. */
final class Repository {
    private Repository() {}

    static Path root() {
        Path folder = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
        while (!Files.exists(folder.resolve("README.md")) || !Files.exists(folder.resolve("core"))) {
            Path parent = folder.getParent();
            if (parent == null) {
                throw new IllegalStateException(
                        "no README.md above " + Path.of("").toAbsolutePath());
            }
            folder = parent;
        }
        return folder;
    }
}
