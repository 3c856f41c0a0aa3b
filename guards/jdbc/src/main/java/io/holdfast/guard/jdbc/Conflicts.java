package io.holdfast.guard.jdbc;

import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import org.jspecify.annotations.Nullable;

/** Tells a lost race between transactions from a real error. */
public final class Conflicts {
    /** Of the class of rollbacks, but the transaction may have been applied: repeating it could apply it twice. */
    private static final String COMPLETION_UNKNOWN = "40003";

    private static final int MARIADB_RECORD_CHANGED = 1020;
    private static final int MARIADB_LOCK_WAIT_TIMEOUT = 1205;
    private static final int H2_CONCURRENT_UPDATE = 90131;
    private static final int H2_LOCK_TIMEOUT = 50200;
    private static final int SQLITE_BUSY = 5;
    private static final int SQLITE_LOCKED = 6;

    private Conflicts() {}

    /**
     * Whether the same work may succeed in a new transaction: a serialization failure, a deadlock of which this
     * transaction was the victim, or a wait for another transaction that the database gave up. The database has applied
     * nothing, or will have after the rollback that must come first.
     */
    public static boolean isRetryable(SQLException error) {
        boolean conflict = false;
        for (Throwable at = error; at != null; at = cause(at)) {
            if (at instanceof SQLException sql) {
                if (COMPLETION_UNKNOWN.equals(sql.getSQLState())) {
                    return false;
                }
                conflict |= isConflict(sql);
            }
        }
        return conflict;
    }

    private static @Nullable Throwable cause(Throwable error) {
        return error.getCause() == error ? null : error.getCause();
    }

    private static boolean isConflict(SQLException error) {
        String state = String.valueOf(error.getSQLState());
        if (error instanceof SQLTransactionRollbackException || state.startsWith("40") || state.equals("55P03")) {
            return true;
        }
        int code = error.getErrorCode();
        if (error.getClass().getName().startsWith("org.sqlite.")) {
            return (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED;
        }
        return code == MARIADB_RECORD_CHANGED
                || code == MARIADB_LOCK_WAIT_TIMEOUT
                || code == H2_CONCURRENT_UPDATE
                || code == H2_LOCK_TIMEOUT;
    }
}
