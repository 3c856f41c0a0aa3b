package io.holdfast.sqlite;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.tck.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Processes that see a file at another path too, as a container does that it was mounted into. Needs to be root. */
final class Mounts {
    private static final String BIND = "mount --bind \"$0\" \"$1\" && shift && exec \"$@\"";

    private Mounts() {}

    /** A JVM in a mount namespace of its own, in which {@code file} is also at {@code at}, which must exist. */
    static ChildJvm childWith(Path file, Path at, Class<?> main, String... arguments) throws Exception {
        assumeTrue(canMount(file), "this user or kernel may not mount");
        return new ChildJvm(starter(file, at), main, arguments);
    }

    private static boolean canMount(Path file) throws IOException, InterruptedException {
        List<String> command = new java.util.ArrayList<>(starter(file, file));
        command.add("true");
        Process tried = new ProcessBuilder(command).redirectErrorStream(true).start();
        return tried.waitFor(30, TimeUnit.SECONDS) && tried.exitValue() == 0;
    }

    private static List<String> starter(Path file, Path at) {
        return List.of("unshare", "--mount", "sh", "-c", BIND, file.toString(), at.toString());
    }
}
