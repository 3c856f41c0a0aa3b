package io.holdfast.cli.supervise;

import org.jspecify.annotations.Nullable;

/** This machine lacks something that {@code holdfast run} needs; the message says what. */
public final class UnsupportedSystemException extends RuntimeException {
    /** With what is missing. */
    public UnsupportedSystemException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
