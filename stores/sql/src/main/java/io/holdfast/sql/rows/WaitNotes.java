package io.holdfast.sql.rows;

import io.holdfast.spi.Claim;
import io.holdfast.sql.table.NameColumn;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;

/**
 * Notes of clients that wait for a name, in a table of their own (L21), so that a holder's renewal never meets them. A
 * note counts for two seconds by the database's clock and keeps no client out.
 */
public final class WaitNotes {
    static final Duration LIFE = Duration.ofSeconds(2);

    private final String table;
    private final String now;
    private final NameColumn nameColumn;

    WaitNotes(String table, String now, NameColumn nameColumn) {
        this.table = table;
        this.now = now;
        this.nameColumn = nameColumn;
    }

    /** A query for the longest pause in microseconds: 1 name, 2 the client that asks. */
    public String longestText() {
        return "SELECT coalesce(max(pause), 0) FROM " + table + " WHERE name = ? AND client <> ? AND noted_until > "
                + now;
    }

    /** The longest pause that another client has noted. */
    Duration longest(Connection connection, String name, Claim claim) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(longestText())) {
            nameColumn.set(statement, 1, name);
            statement.setBytes(2, client(claim));
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? pause(row.getLong(1)) : Duration.ZERO;
            }
        }
    }

    /** Notes that this claim's client waits. */
    void write(Connection connection, String name, Claim claim) throws SQLException {
        if (update(connection, name, claim)) {
            return;
        }
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO " + table + " (name, client, noted_until, pause) VALUES (?, ?, " + now + " + ?, ?)")) {
            nameColumn.set(insert, 1, name);
            insert.setBytes(2, client(claim));
            insert.setLong(3, LIFE.toNanos() / 1000);
            insert.setLong(4, claim.pause().toNanos() / 1000);
            insert.executeUpdate();
        } catch (SQLException e) {
            if (e.getSQLState() == null || !e.getSQLState().startsWith("23")) {
                throw e;
            }
            update(connection, name, claim);
        }
    }

    private boolean update(Connection connection, String name, Claim claim) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE " + table + " SET noted_until = " + now + " + ?, pause = ? WHERE name = ? AND client = ?")) {
            update.setLong(1, LIFE.toNanos() / 1000);
            update.setLong(2, claim.pause().toNanos() / 1000);
            nameColumn.set(update, 3, name);
            update.setBytes(4, client(claim));
            return update.executeUpdate() > 0;
        }
    }

    /** Deletes up to {@code limit} notes that no statement reads any more. */
    void sweep(Connection connection, int limit) throws SQLException {
        String old = "noted_until < " + now + " - " + LIFE.toNanos() / 1000;
        try (PreparedStatement seen = connection.prepareStatement(
                        "SELECT name, client FROM " + table + " WHERE " + old + " LIMIT " + limit);
                PreparedStatement delete = connection.prepareStatement(
                        "DELETE FROM " + table + " WHERE name = ? AND client = ? AND " + old);
                ResultSet found = seen.executeQuery()) {
            boolean any = false;
            while (found.next()) {
                nameColumn.set(delete, 1, nameColumn.get(found, 1));
                delete.setBytes(2, found.getBytes(2));
                delete.addBatch();
                any = true;
            }
            if (any) {
                delete.executeBatch();
            }
        }
    }

    /** A pause as it is stored. */
    public static Duration pause(long micros) {
        return Duration.ofNanos(micros * 1000);
    }

    /** A client's id, short enough for an index. */
    public static byte[] client(Claim claim) {
        try {
            byte[] hash =
                    MessageDigest.getInstance("SHA-256").digest(claim.clientId().getBytes(StandardCharsets.UTF_8));
            return Arrays.copyOf(hash, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
