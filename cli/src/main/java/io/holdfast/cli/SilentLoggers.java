package io.holdfast.cli;

import io.holdfast.cli.store.StoreWarnings;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the log of the library out of the command's error output. Warnings of a store that is being opened go to {@link
 * StoreWarnings}; {@code --debug} shows all. Without this class every start would load {@code java.util.logging}.
 */
public final class SilentLoggers extends System.LoggerFinder {
    private static volatile boolean loud;

    /** From now on warnings are shown. */
    static void speak() {
        loud = true;
    }

    @Override
    public System.Logger getLogger(String name, Module module) {
        return new StandardErrorLogger(name);
    }

    private record StandardErrorLogger(String name) implements System.Logger {
        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isLoggable(Level level) {
            return (loud || StoreWarnings.wanted()) && level.compareTo(Level.WARNING) >= 0 && level != Level.OFF;
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String message, @Nullable Throwable thrown) {
            if (isLoggable(level) && !loud) {
                StoreWarnings.tell(name, String.valueOf(message));
            } else if (isLoggable(level)) {
                System.err.println(name + ": " + message);
                if (thrown != null) {
                    thrown.printStackTrace();
                }
            }
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String format, @Nullable Object... parameters) {
            log(level, bundle, format == null ? "" : java.text.MessageFormat.format(format, parameters), (Throwable)
                    null);
        }
    }
}
