package io.holdfast.cli.input;

/** The input cannot be used; the message names the value and the remedy. */
public final class UsageException extends RuntimeException {
    /** With value and remedy. */
    public UsageException(String message) {
        super(message);
    }
}
