package io.holdfast.bench.command;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Programs of the machine. */
public final class Executable {
    private Executable() {}

    public static boolean onPath(String name) {
        String path = System.getenv("PATH");
        return path != null
                && Arrays.stream(path.split(File.pathSeparator))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
    }
}
