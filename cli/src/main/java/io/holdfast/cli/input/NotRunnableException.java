package io.holdfast.cli.input;

/** The command to run does not exist or cannot be executed; the message says what to do. */
public final class NotRunnableException extends RuntimeException {
    private final int exitCode;

    /** With the exit code that a shell would end with. */
    public NotRunnableException(String message, int exitCode) {
        super(message);
        this.exitCode = exitCode;
    }

    /** What a shell would end with. */
    public int exitCode() {
        return exitCode;
    }
}
