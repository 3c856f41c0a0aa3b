package io.holdfast.sql;

import io.holdfast.Holder;
import io.holdfast.LockStatus;
import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.support.NameSpace;
import io.holdfast.spi.support.StoredLease;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of locks that a session holds (row lock and advisory modes), and who holds them, for people. The row is
 * never what decides: only who has the database's own lock draws from it, and it is another row than the one a row lock
 * locks, committed apart (U13), so that a holder that is rolled back does not take its token back.
 *
 * <p>Every name has a 64-bit key, by which databases name their own locks. The client that inserts the row derives it,
 * from the name and a random salt of these tables; from then on every client takes it from the row (U30), however it
 * spells the table's name. The salt keeps tables of other schemas and databases on the same server apart. Keys are unique
 * in the table: a second name with the same key is an error that names both, and is never taken for the first.
 */
final class TokenRows {
    /** Tokens that were drawn. */
    record Drawn(long token, int span) {}

    /** A row as it was read. */
    record TokenRow(
            String name,
            @Nullable HolderId holder,
            String client,
            String label,
            long last,
            int span,
            Duration ttl,
            boolean revoked,
            long session,
            long key,
            long nowMicros) {
        /**
         * Whether the holder in this row is the one that has the database's lock now.
         *
         * @param holding the session that has the lock; 0 if none does
         */
        boolean isHeldBy(long holding) {
            return holding != 0 && holder != null && (session == 0 || session == holding);
        }

        /**
         * The name for people.
         *
         * @param holding the session that has the lock; 0 if none does
         */
        LockStatus status(String plainName, long holding) {
            Holder shown = shown();
            boolean held = isHeldBy(holding);
            return new LockStatus(
                    plainName,
                    held && shown != null ? List.of(shown) : List.of(),
                    0,
                    Duration.ZERO,
                    held && revoked,
                    last,
                    Duration.ofNanos(Math.max(0, (last - nowMicros) * 1000)));
        }

        /** The holder that drew last. */
        @Nullable
        Holder shown() {
            return holder == null ? null : new Holder(client, label, Mode.EXCLUSIVE, last - span + 1, span, ttl, ttl);
        }
    }

    private static final String READ =
            "name, holder, client, label, last_token, span, ttl, revoked, session_id, lock_key, %s FROM %s WHERE ";

    final String table;
    private final String salt;
    private final String now;
    private final boolean postgres;

    /**
     * For a table.
     *
     * @param salt what the keys of new names are derived from, beside the name
     */
    TokenRows(String table, String salt, boolean postgres) {
        this.table = table;
        this.salt = salt;
        this.now = postgres ? PostgresRows.NOW : MariaDb.NOW;
        this.postgres = postgres;
    }

    /** The key of a new name: 64 bits of a hash that no caller can steer. */
    private long newKey(String name) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest((salt + NameSpace.SEPARATOR + name).getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(hash).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Makes sure that the name has a row and its key to itself. */
    void ensure(Connection connection, String name) throws SQLException {
        String text = postgres
                ? "INSERT INTO " + table
                        + " (name, lock_key, client, label, last_token, span, ttl, revoked, session_id)"
                        + " VALUES (?, ?, '', '', 0, 0, 0, 0, 0) ON CONFLICT (name) DO NOTHING"
                : "INSERT INTO " + table
                        + " (name, lock_key, client, label, last_token, span, ttl, revoked, session_id)"
                        + " VALUES (?, ?, '', '', 0, 0, 0, 0, 0) ON DUPLICATE KEY UPDATE span = span";
        try (PreparedStatement insert = connection.prepareStatement(text)) {
            setName(insert, 1, name);
            insert.setLong(2, newKey(name));
            insert.executeUpdate();
        } catch (SQLException e) {
            if (e.getSQLState() == null || !e.getSQLState().startsWith("23")) {
                throw e;
            }
        }
        if (read(connection, name) == null) {
            throw new IllegalStateException("lock '" + name + "' has the same 64-bit key as another name in " + table
                    + ": rename one of them, or use lease rows");
        }
    }

    /** The text that draws: 1 span, 2 span, 3 holder, 4 client, 5 label, 6 TTL, 7 session (0: this one), 8 name. */
    String drawText() {
        String got = "CASE WHEN last_token > 0 AND last_token - " + now + " <= 100000 THEN ? ELSE 1 END";
        String first =
                "CASE WHEN last_token = 0 THEN " + now + " + 200000 ELSE greatest(last_token + 1, " + now + ") END";
        // MariaDB works from left to right with the new values, PostgreSQL with the old ones.
        return "UPDATE " + table + " SET span = " + got + ", last_token = " + first + " - 1 + "
                + (postgres ? got : "CASE WHEN ? > 0 THEN span ELSE 1 END")
                + ", holder = ?, client = ?, label = ?, ttl = ?, revoked = 0, session_id = coalesce(nullif(?, 0), "
                + (postgres ? "pg_backend_pid()" : "CONNECTION_ID()")
                + ") WHERE name = ?";
    }

    /** Binds {@link #drawText()}; answers the next position. */
    int bindDraw(PreparedStatement statement, String name, Claim claim, long session) throws SQLException {
        statement.setInt(1, claim.span());
        statement.setInt(2, claim.span());
        statement.setBytes(3, StoredLease.bytes(claim.holder()));
        statement.setString(4, LeaseRows.shortened(claim.clientId()));
        statement.setString(5, LeaseRows.shortened(claim.label()));
        statement.setLong(6, claim.ttl().toNanos() / 1000);
        statement.setLong(7, session);
        setName(statement, 8, name);
        return 9;
    }

    /**
     * Draws, for the session that has the lock. Flushed on PostgreSQL, whatever its default is (U35).
     *
     * @param key the key under which the session has the lock; null if it has it under the name
     */
    Drawn draw(Connection connection, String name, Claim claim, long session, @Nullable Long key) throws SQLException {
        String text = drawText()
                + (key == null ? "" : " AND lock_key = " + key)
                + (postgres ? " RETURNING " + PostgresRows.DURABLE : "");
        try (PreparedStatement update = connection.prepareStatement(text)) {
            bindDraw(update, name, claim, session);
            update.execute();
        }
        TokenRow row = read(connection, name);
        if (row == null || !claim.holder().equals(row.holder())) {
            throw new SQLException("the row of lock '" + name + "' in " + table + " was deleted or replaced", "40001");
        }
        return new Drawn(row.last() - row.span() + 1, row.span());
    }

    /** Renewals of the holder that was seen are refused from now on; those of one that came later are not (U32). */
    void revoke(Connection connection, TokenRow seen) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE " + table + " SET revoked = 1 WHERE name = ? AND last_token = ?")) {
            setName(update, 1, seen.name());
            update.setLong(2, seen.last());
            update.executeUpdate();
        }
    }

    @Nullable
    TokenRow read(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT " + READ.formatted(now, table) + "name = ?")) {
            setName(statement, 1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row(row) : null;
            }
        }
    }

    /** Names that were ever held, from a prefix on. */
    List<TokenRow> list(Connection connection, NameSpace names, LockQuery query) throws SQLException {
        String from = names.full(query.text());
        List<TokenRow> found = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT " + READ.formatted(now, table) + "name >= ? AND name < ? AND last_token > 0 ORDER BY name")) {
            setName(statement, 1, from);
            setName(statement, 2, NameSpace.after(from));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    TokenRow row = row(rows);
                    if (!row.name().substring(from.length()).contains(NameSpace.SEPARATOR)) {
                        found.add(row);
                    }
                }
            }
        }
        return found;
    }

    void setName(PreparedStatement statement, int at, String name) throws SQLException {
        if (postgres) {
            statement.setString(at, name);
        } else {
            statement.setBytes(at, name.getBytes(StandardCharsets.UTF_8));
        }
    }

    private TokenRow row(ResultSet row) throws SQLException {
        byte[] holder = row.getBytes(2);
        return new TokenRow(
                postgres ? row.getString(1) : new String(row.getBytes(1), StandardCharsets.UTF_8),
                holder == null ? null : StoredLease.holder(holder),
                row.getString(3),
                row.getString(4),
                row.getLong(5),
                row.getInt(6),
                Duration.ofNanos(row.getLong(7) * 1000),
                row.getInt(8) != 0,
                row.getLong(9),
                row.getLong(10),
                row.getLong(11));
    }
}
