package io.holdfast.engine;

import java.lang.System.Logger;

/** The engine's logger, loaded with the first line that is logged: a short-lived command never pays for it. */
final class Log {
    static final Logger LOGGER = System.getLogger("io.holdfast");

    private Log() {}

    static void warning(String message) {
        LOGGER.log(Logger.Level.WARNING, message);
    }

    static void warning(String message, Throwable cause) {
        LOGGER.log(Logger.Level.WARNING, message, cause);
    }
}
