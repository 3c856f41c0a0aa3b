package io.holdfast.cli.input;

import io.holdfast.cli.supervise.UnsupportedSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/** Looks for the command before the lock is asked for, so that a mistyped command neither waits nor locks. */
public final class Executables {
    private Executables() {}

    public static void check(List<String> words) {
        for (int i = 0; i < words.size(); i++) {
            if (words.get(i).indexOf('\ufffd') >= 0) {
                throw new UsageException("word " + (i + 1) + " of the command is not in the encoding of this locale:"
                        + " it would not reach the command as it is; set LC_ALL=C.UTF-8, or put it into a script");
            }
        }
        String command = words.get(0);
        if (command.isEmpty()) {
            throw new UsageException("the command is empty: write it after --");
        }
        if (command.indexOf('/') >= 0) {
            checkFile(command, Path.of(command));
        } else {
            checkPath(command);
        }
    }

    /** Tools that {@code run} itself needs. */
    public static void require(String... tools) {
        for (String tool : tools) {
            try {
                checkPath(tool);
            } catch (NotRunnableException e) {
                throw new UnsupportedSystemException(
                        "holdfast run needs the tool '" + tool + "': " + e.getMessage(), e);
            }
        }
    }

    private static void checkFile(String command, Path file) {
        if (!Files.exists(file)) {
            throw notFound("'" + command + "' does not exist: check the path");
        }
        if (Files.isDirectory(file) || !Files.isExecutable(file)) {
            throw notExecutable(command);
        }
    }

    private static void checkPath(String command) {
        String path = System.getenv("PATH");
        boolean seen = false;
        for (String folder : (path == null ? "/usr/bin:/bin" : path).split(":", -1)) {
            try {
                Path file = Path.of(folder.isEmpty() ? "." : folder, command);
                if (Files.isRegularFile(file)) {
                    if (Files.isExecutable(file)) {
                        return;
                    }
                    seen = true;
                }
            } catch (InvalidPathException e) {
                // Nothing can be in a folder of such a name.
            }
        }
        throw seen
                ? notExecutable(command)
                : notFound("'" + command + "' is not in $PATH: check its name, or give its path");
    }

    private static NotRunnableException notFound(String message) {
        return new NotRunnableException(message, ExitCode.NOT_FOUND);
    }

    private static NotRunnableException notExecutable(String command) {
        return new NotRunnableException(
                "'" + command + "' cannot be executed: is it a program, and is it marked with chmod +x?",
                ExitCode.NOT_EXECUTABLE);
    }
}
