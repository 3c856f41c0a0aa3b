package io.holdfast.sqlite;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * The embedded store's own two statements and its own way to set up a connection, for the benchmark's baseline. It
 * stands in the store's package because these are not public, and a copy of them would one day compare the store with
 * what it used to be.
 */
public final class StoreStatements {
    private StoreStatements() {}

    /** Takes a free name; the parameters are those of {@link SqliteStatement#ACQUIRE_EXCLUSIVE}. */
    public static String acquire() {
        return SqliteStatement.ACQUIRE_EXCLUSIVE.text;
    }

    /** Gives it back; the parameters are those of {@link SqliteStatement#RELEASE_EXCLUSIVE}. */
    public static String release() {
        return SqliteStatement.RELEASE_EXCLUSIVE.text;
    }

    /** Creates the tables and sets the pragmas, as the store does. */
    public static void prepare(Connection connection, String location) throws SQLException {
        new SqliteConnection(connection, location, MachineClock.system(), SqliteConnection.Use.WRITE).prepare();
    }

    /** The bucket of a name. */
    public static int bucket(String name) {
        return LeaseRows.bucket(name);
    }
}
