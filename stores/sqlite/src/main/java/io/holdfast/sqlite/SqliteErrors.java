package io.holdfast.sqlite;

import io.holdfast.StoreUnavailableException;
import java.sql.SQLException;

/** What an error of SQLite means to a caller, by its primary result code. */
final class SqliteErrors {
    private static final int BUSY = 5;
    private static final int LOCKED = 6;
    private static final int NO_MEMORY = 7;
    private static final int READ_ONLY = 8;
    private static final int INTERRUPT = 9;
    private static final int IO_ERROR = 10;
    private static final int CORRUPT = 11;
    private static final int FULL = 13;
    private static final int CANNOT_OPEN = 14;
    private static final int CONSTRAINT = 19;
    private static final int NOT_A_DATABASE = 26;

    private SqliteErrors() {}

    /** The error for the caller, with a remedy. */
    static StoreUnavailableException explain(SQLException error, String location) {
        String remedy = switch (primary(error)) {
            case BUSY, LOCKED ->
                "is busy: another process is writing for longer than this request may wait; raise ioTimeout or"
                        + " the TTL";
            case READ_ONLY -> "cannot be written: give this user the right to write the file and its folder";
            case FULL ->
                "cannot grow: its disk or quota is full; free some space (nothing was granted, nothing is lost)";
            case CANNOT_OPEN ->
                "cannot be opened: check that the file and its folder exist and may be" + " read and written";
            case NOT_A_DATABASE -> "is not a SQLite database: give another path, or move that file away";
            case CORRUPT -> "is damaged: stop all users of it and delete it (guards protect the data, tokens go on)";
            case IO_ERROR -> "cannot be read or written: check the disk";
            default -> "failed";
        };
        return new StoreUnavailableException(
                "the lock file " + location + " " + remedy + " ["
                        + String.valueOf(error.getMessage()).replaceAll("\\s+", " ") + "]",
                outcomeUnknown(error),
                error);
    }

    /** Whether the connection is worth keeping after this error. */
    static boolean survives(SQLException error) {
        return switch (primary(error)) {
            case BUSY, LOCKED, FULL, CONSTRAINT, INTERRUPT -> true;
            default -> false;
        };
    }

    /** Whether another connection was writing. */
    static boolean isBusy(SQLException error) {
        return primary(error) == BUSY;
    }

    /** SQLite rolls back what it could not commit. Only after an I/O error the file may show otherwise later. */
    private static boolean outcomeUnknown(SQLException error) {
        return switch (primary(error)) {
            case BUSY, LOCKED, FULL, READ_ONLY, CANNOT_OPEN, NOT_A_DATABASE, CONSTRAINT, NO_MEMORY, INTERRUPT -> false;
            default -> true;
        };
    }

    private static int primary(SQLException error) {
        return error.getErrorCode() & 0xff;
    }
}
