package io.holdfast.cli;

import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.cli.output.Terminal;
import io.holdfast.cli.store.SqlitePreload;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/**
 * What the launcher does once after a build, so that every later start is fast: puts SQLite's native library where it
 * need not be unpacked again, and uses every command once, so that the JVM can archive the classes they load.
 *
 * <p>Called with the folder of the build. Uses a store of its own inside it.
 */
public final class Preparation {
    private static final String LIBRARY = "libsqlitejdbc.so";

    private Preparation() {}

    /** Prepares, and ends with 0 if all went well. */
    public static void main(String[] args) throws IOException {
        Path build = Path.of(args[0]);
        unpackLibrary(build.resolve("native"));
        Path folder = Files.createDirectories(build.resolve("training"));
        System.exit(exercise("sqlite:" + folder.resolve("locks.db")));
    }

    /** Without this library for this processor, each start unpacks its own copy, or says that there is none. */
    private static void unpackLibrary(Path folder) throws IOException {
        String processor = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        String name = processor.equals("amd64") ? "x86_64" : processor;
        boolean musl = Files.exists(Path.of("/lib/ld-musl-" + name + ".so.1"));
        String resource = "/org/sqlite/native/" + (musl ? "Linux-Musl" : "Linux") + "/" + name + "/" + LIBRARY;
        try (InputStream library = Preparation.class.getResourceAsStream(resource)) {
            if (library != null) {
                Files.copy(
                        library, Files.createDirectories(folder).resolve(LIBRARY), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private static int exercise(String store) {
        String[][] uses = {
            {"run", "--store", store, "--ttl", "3s", "--wait", "1s", "training", "--", "true"},
            {"ls", "--store", store},
            {"show", "--store", store, "training"},
            {"show", "--store", store, "training", "--json"},
            {"check", "--store", store, new Sequencer("training", Mode.EXCLUSIVE, 1).text()},
            {"release", "--store", store, "training", "--force", "--yes"},
            {"stores"},
        };
        Terminal terminal = Terminal.system();
        SqlitePreload.begin(uses[0]);
        int run = Main.execute(terminal, uses[0]);
        for (int i = 1; i < uses.length; i++) {
            Main.execute(terminal, uses[i]);
        }
        return run;
    }
}
