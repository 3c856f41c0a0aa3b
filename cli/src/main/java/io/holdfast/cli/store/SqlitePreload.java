package io.holdfast.cli.store;

import io.holdfast.Holdfast;
import io.holdfast.sqlite.EmbeddedStoreProvider;
import java.util.Arrays;
import java.util.List;

/**
 * Loads SQLite's native library on a second processor while the command line is read: much of the time of a short command
 * is the start of that driver. A failure here happens again where the store is opened, and is reported there.
 */
public final class SqlitePreload {
    private static final List<String> COMMANDS = List.of("run", "ls", "show", "watch", "release", "check", "admit");

    private SqlitePreload() {}

    /** Begins, if the command line looks as if the embedded store will be opened. */
    public static void begin(String... args) {
        if (args.length > 1 && COMMANDS.contains(args[0]) && isEmbedded(args)) {
            Thread thread = new Thread(EmbeddedStoreProvider::preload, "holdfast-head-start");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** A wrong guess costs some processor time and nothing else. */
    private static boolean isEmbedded(String... args) {
        int option = Arrays.asList(args).indexOf("--store");
        String url =
                option >= 0 && option + 1 < args.length ? args[option + 1] : System.getenv(Holdfast.STORE_VARIABLE);
        return url == null || url.isBlank() || url.startsWith("sqlite:");
    }
}
