package io.holdfast.sql.connection;

import io.holdfast.StoreUnavailableException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an error of a database means to a caller, by its SQLSTATE.
 *
 * <p>A database that reports an error has rolled the statement back: the outcome is known. It is unknown only when the
 * connection broke, or the server went down, while an answer was awaited.
 */
public final class SqlErrors {
    private static final Set<String> RETRY = Set.of("40001", "40P01");
    private static final Set<String> NO_TABLE = Set.of("42P01", "42S02", "42S03", "42S04");
    private static final int MARIADB_LOCK_WAIT = 1205;
    /** Of MariaDB and MySQL: the server, or the connection, has read_only. */
    private static final Set<Integer> READ_ONLY = Set.of(1290, 1792, 1836);

    private static final Set<Integer> LOCK_WAIT = Set.of(MARIADB_LOCK_WAIT, 3572, 50200);

    private SqlErrors() {}

    /** Whether the database gave this statement up in favour of another transaction: it did nothing and can be repeated. */
    public static boolean isRetry(SQLException error) {
        return RETRY.contains(state(error)) && error.getErrorCode() != MARIADB_LOCK_WAIT;
    }

    /** Whether the statement was given up because another connection kept a row locked: it did nothing. */
    public static boolean isLockWait(SQLException error) {
        return LOCK_WAIT.contains(error.getErrorCode()) || state(error).equals("55P03");
    }

    /** Whether a table is missing. */
    public static boolean isNoTable(SQLException error) {
        return NO_TABLE.contains(state(error));
    }

    /** An error while a statement ran. */
    public static StoreUnavailableException whileRunning(SQLException error, String location) {
        String state = state(error);
        boolean lost = isLost(error);
        String what = lost
                ? "the database " + location + " did not answer, or the connection broke"
                : isNoTable(error)
                        ? "the database " + location
                                + " has no tables of Holdfast any more: create them again (holdfast schema)"
                        : state.equals("57014") || isLockWait(error)
                                ? "the database " + location
                                        + " took too long for a statement and gave it up; raise holdfast.ioTimeout or"
                                        + " the TTL, and look for a connection that keeps rows locked"
                                : state.equals("25006") || READ_ONLY.contains(error.getErrorCode())
                                        ? "the database " + location
                                                + " is read-only, as a standby is: give the address of the primary"
                                        : "the database " + location + " refused a statement";
        return new StoreUnavailableException(what + detail(error), lost, error);
    }

    /**
     * Whether the connection broke. MariaDB and MySQL send HY000 for errors that have no state of their own: with the
     * number of an error of the server it is an answer, and nothing was done.
     */
    private static boolean isLost(SQLException error) {
        String state = state(error);
        int code = error.getErrorCode();
        boolean answered = (code >= 1000 && code < 2000) || (code >= 3000 && code < 5000);
        return !isLockWait(error)
                && (state.startsWith("08")
                        || state.startsWith("57P")
                        || state.isEmpty()
                        || (state.equals("HY000") && !answered));
    }

    /** An error while a connection was asked for: nothing was sent. */
    public static StoreUnavailableException whileConnecting(SQLException error, String location, int poolSize) {
        boolean exhausted = error instanceof SQLTransientConnectionException && error.getCause() == null;
        return new StoreUnavailableException(
                exhausted
                        ? (poolSize == 0
                                        ? "the application's pool for the database " + location
                                                + " gave no connection in time: make it larger"
                                        : "all " + poolSize + " connections to the database " + location
                                                + " are in use; raise holdfast.poolSize")
                                + detail(error)
                        : "the database " + location + " cannot be connected to"
                                + detail(error.getCause() instanceof SQLException cause ? cause : error),
                false,
                error);
    }

    private static String detail(SQLException error) {
        return " [" + state(error) + " " + String.valueOf(error.getMessage()).replaceAll("\\s+", " ") + "]";
    }

    private static String state(@Nullable SQLException error) {
        return error == null || error.getSQLState() == null ? "" : error.getSQLState();
    }
}
