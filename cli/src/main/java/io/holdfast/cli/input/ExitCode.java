package io.holdfast.cli.input;

/** The exit codes of Holdfast itself. {@code run} otherwise ends with the exit code of the command it ran. */
public final class ExitCode {
    /** Done; for {@code check}: valid. */
    public static final int OK = 0;

    /** {@code release} asked, and the answer was not yes. */
    public static final int DECLINED = 1;

    /** The input cannot be used: an option, a name, a duration, a URL, a sequencer, a file. */
    public static final int USAGE = 2;

    /** The store cannot be reached. */
    public static final int STORE_UNAVAILABLE = 69;

    /** A bug in Holdfast. */
    public static final int INTERNAL = 70;

    /** This system lacks something that {@code run} needs. */
    public static final int UNSUPPORTED_SYSTEM = 71;

    /** The lock was not obtained within the wait. */
    public static final int NOT_OBTAINED = 75;

    /** The lease was lost, or was about to be, and the command was stopped. */
    public static final int LEASE_LOST = 76;

    /** The sequencer is stale: a newer token was granted or admitted. */
    public static final int STALE = 77;

    /** The store cannot tell: it never issued that token. */
    public static final int UNKNOWN = 78;

    /** The command exists but cannot be executed. */
    public static final int NOT_EXECUTABLE = 126;

    /** The command was not found. */
    public static final int NOT_FOUND = 127;

    private ExitCode() {}
}
