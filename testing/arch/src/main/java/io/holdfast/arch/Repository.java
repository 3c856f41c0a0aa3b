package io.holdfast.arch;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where the repository is: the nearest folder above this module that has a README. */
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
