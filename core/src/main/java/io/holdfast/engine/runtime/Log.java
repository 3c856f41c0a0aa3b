package io.holdfast.engine.runtime;

import java.lang.System.Logger;
import org.jspecify.annotations.Nullable;

/** The engine's logger, loaded with the first line that is logged: a short-lived command never pays for it. */
public final class Log {
    static final Logger LOGGER = System.getLogger("io.holdfast");

    private Log() {}

    public static void warning(String message) {
        warning(message, null);
    }

    /** Never throws: it is called where a failure must change nothing, and an application's logger may fail as well. */
    public static void warning(String message, @Nullable Throwable cause) {
        try {
            LOGGER.log(Logger.Level.WARNING, message, cause);
        } catch (Throwable ignored) {
            // Nothing is left that could be told of it.
        }
    }
}
