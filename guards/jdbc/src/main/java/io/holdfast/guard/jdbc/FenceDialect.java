package io.holdfast.guard.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;

/**
 * The fence table in the words of one database.
 *
 * <p>A {@code raise} statement does three things at once: it creates the row if there is none, raises the marks if the
 * token is admitted by the rule of {@link io.holdfast.fence.Marks}, and locks the row until the end of the transaction
 * whether or not it raised anything. Its parameters are resource, lock name, any token, exclusive token. What the row
 * says afterwards is the decision; counts of affected rows are not, because drivers count differently.
 *
 * <p>Being one statement, it never reads before it locks. That matters on InnoDB, where a plain read at REPEATABLE READ
 * would freeze the snapshot of the whole transaction before the lock was waited for, and where a locking read of a
 * missing row locks a gap and makes two first transactions a deadlock.
 */
enum FenceDialect {
    POSTGRESQL("postgresql") {
        @Override
        String ddl(String table) {
            // Names compare byte by byte: C has no linguistic equality, whatever the database's default is.
            return "CREATE TABLE IF NOT EXISTS " + table + " (\n"
                    + "    resource text COLLATE \"C\" NOT NULL PRIMARY KEY,\n"
                    + "    lock_name text COLLATE \"C\" NOT NULL,\n"
                    + "    any_token bigint NOT NULL,\n"
                    + "    exclusive_token bigint NOT NULL\n"
                    + ")";
        }

        @Override
        String raise(String table, boolean exclusive) {
            return onConflict(table, exclusive);
        }
    },

    SQLITE("sqlite") {
        @Override
        String ddl(String table) {
            // As in the embedded store's own file.
            return "CREATE TABLE IF NOT EXISTS " + table + " (\n"
                    + "    resource TEXT NOT NULL PRIMARY KEY,\n"
                    + "    lock_name TEXT NOT NULL,\n"
                    + "    any_token INTEGER NOT NULL,\n"
                    + "    exclusive_token INTEGER NOT NULL\n"
                    + ") STRICT, WITHOUT ROWID";
        }

        @Override
        String raise(String table, boolean exclusive) {
            return onConflict(table, exclusive);
        }
    },

    /** MariaDB and MySQL. */
    MARIADB("mariadb") {
        @Override
        String ddl(String table) {
            // Bytes: every character collation that both databases have pads with spaces or folds something.
            return "CREATE TABLE IF NOT EXISTS " + table + " (\n"
                    + "    resource VARBINARY(2048) NOT NULL PRIMARY KEY,\n"
                    + "    lock_name VARBINARY(2048) NOT NULL,\n"
                    + "    any_token BIGINT NOT NULL,\n"
                    + "    exclusive_token BIGINT NOT NULL\n"
                    + ") ENGINE = InnoDB ROW_FORMAT = DYNAMIC";
        }

        @Override
        String raise(String table, boolean exclusive) {
            String start = "INSERT INTO " + table + " (resource, lock_name, any_token, exclusive_token)"
                    + " VALUES (?, ?, ?, ?) ON DUPLICATE KEY UPDATE ";
            if (exclusive) {
                // Assignments run from left to right and see each other: any_token, which the condition reads, is the
                // last.
                String admitted = "CASE WHEN lock_name = VALUES(lock_name) AND any_token <= VALUES(any_token)"
                        + " THEN VALUES(any_token) ELSE ";
                return start + "exclusive_token = " + admitted + "exclusive_token END, any_token = " + admitted
                        + "any_token END";
            }
            return start + "any_token = CASE WHEN lock_name = VALUES(lock_name) AND any_token < VALUES(any_token)"
                    + " THEN VALUES(any_token) ELSE any_token END";
        }

        @Override
        boolean raiseAnswers() {
            return false;
        }

        @Override
        String readLocked(String table) {
            return read(table) + " FOR UPDATE";
        }

        @Override
        void bind(PreparedStatement statement, int index, String name) throws SQLException {
            statement.setBytes(index, name.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        String name(ResultSet row, int column) throws SQLException {
            return new String(row.getBytes(column), StandardCharsets.UTF_8);
        }
    },

    H2("h2") {
        @Override
        String ddl(String table) {
            // Bytes: in some of H2's modes characters compare without case.
            return "CREATE TABLE IF NOT EXISTS " + table + " (\n"
                    + "    resource VARBINARY(2048) NOT NULL PRIMARY KEY,\n"
                    + "    lock_name VARBINARY(2048) NOT NULL,\n"
                    + "    any_token BIGINT NOT NULL,\n"
                    + "    exclusive_token BIGINT NOT NULL\n"
                    + ")";
        }

        @Override
        String raise(String table, boolean exclusive) {
            return "SELECT lock_name, any_token, exclusive_token FROM FINAL TABLE (MERGE INTO " + table + " f"
                    + " USING (VALUES (CAST(? AS VARBINARY(2048)), CAST(? AS VARBINARY(2048)), CAST(? AS BIGINT),"
                    + " CAST(? AS BIGINT))) excluded (resource, lock_name, any_token, exclusive_token)"
                    + " ON f.resource = excluded.resource WHEN MATCHED THEN UPDATE SET " + assignments(exclusive)
                    + " WHEN NOT MATCHED THEN INSERT (resource, lock_name, any_token, exclusive_token)"
                    + " VALUES (excluded.resource, excluded.lock_name, excluded.any_token,"
                    + " excluded.exclusive_token))";
        }

        @Override
        void bind(PreparedStatement statement, int index, String name) throws SQLException {
            statement.setBytes(index, name.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        String name(ResultSet row, int column) throws SQLException {
            return new String(row.getBytes(column), StandardCharsets.UTF_8);
        }
    };

    private final String scheme;

    FenceDialect(String scheme) {
        this.scheme = scheme;
    }

    /** That of the database behind a connection. */
    static FenceDialect of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        String lower = product.toLowerCase(Locale.ROOT);
        return byScheme(lower.startsWith("mysql") ? "mariadb" : lower, product);
    }

    /** That of a JDBC URL. */
    static FenceDialect ofUrl(String url) {
        String[] parts = url.split(":", 3);
        boolean jdbc = parts.length == 3 && parts[0].equals("jdbc");
        return byScheme(jdbc && parts[1].equals("mysql") ? "mariadb" : jdbc ? parts[1] : "", jdbc ? parts[1] : "?");
    }

    private static FenceDialect byScheme(String scheme, String shown) {
        for (FenceDialect dialect : values()) {
            if (scheme.equals(dialect.scheme)) {
                return dialect;
            }
        }
        throw new IllegalArgumentException("there is no guard for the database '" + shown
                + "': PostgreSQL, MariaDB, MySQL, H2 and SQLite have one; elsewhere keep io.holdfast.fence.Marks in a"
                + " row that your transaction locks");
    }

    /** Creates the table if it does not exist. */
    abstract String ddl(String table);

    /** Creates, raises and locks, see above. */
    abstract String raise(String table, boolean exclusive);

    /** Whether {@link #raise} is a query that answers with lock name and marks. */
    boolean raiseAnswers() {
        return true;
    }

    /** Lock name and marks of a resource as committed or own. */
    String read(String table) {
        return "SELECT lock_name, any_token, exclusive_token FROM " + table + " WHERE resource = ?";
    }

    /** The same, of a row that this transaction has locked: never from an older snapshot. */
    String readLocked(String table) {
        return read(table);
    }

    /** Sets a parameter to a resource or lock name. */
    void bind(PreparedStatement statement, int index, String name) throws SQLException {
        statement.setString(index, name);
    }

    /** A resource or lock name of a row. */
    String name(ResultSet row, int column) throws SQLException {
        return row.getString(column);
    }

    private static String onConflict(String table, boolean exclusive) {
        return "INSERT INTO " + table + " AS f (resource, lock_name, any_token, exclusive_token) VALUES (?, ?, ?, ?)"
                + " ON CONFLICT (resource) DO UPDATE SET " + assignments(exclusive)
                + " RETURNING lock_name, any_token, exclusive_token";
    }

    /** For databases in which every right side sees the row as it was. */
    private static String assignments(boolean exclusive) {
        if (exclusive) {
            String admitted = "CASE WHEN f.lock_name = excluded.lock_name AND f.any_token <= excluded.any_token"
                    + " THEN excluded.any_token ELSE ";
            return "any_token = " + admitted + "f.any_token END, exclusive_token = " + admitted
                    + "f.exclusive_token END";
        }
        // A token above any_token is above exclusive_token too.
        return "any_token = CASE WHEN f.lock_name = excluded.lock_name AND f.any_token < excluded.any_token"
                + " THEN excluded.any_token ELSE f.any_token END";
    }
}
