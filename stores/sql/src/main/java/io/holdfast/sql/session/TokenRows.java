package io.holdfast.sql.session;

import io.holdfast.spi.Claim;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.support.NameSpace;
import io.holdfast.spi.support.StoredLease;
import io.holdfast.spi.support.TokenRule;
import io.holdfast.sql.table.LabelColumn;
import io.holdfast.sql.table.NameColumn;
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
 * The tokens of session locks, and their holders, for people. The row never decides: only the connection that has the
 * database's own lock updates it. It is another row than the one that a row lock locks, and is committed in a transaction
 * of its own (U13), so that rolling back the holder's transaction does not roll back the token.
 *
 * <p>Every name has a 64-bit key, by which databases name their own locks. The client that inserts the row derives it,
 * from the name and a random salt of these tables; from then on every client takes it from the row (U30), however it
 * spells the table's name. The salt keeps tables of other schemas and databases on the same server apart. Keys are unique
 * in the table: a second name with the same key is an error that names both, and is never taken for the first.
 */
public abstract class TokenRows {
    private static final String READ =
            "name, holder, client, label, last_token, span, ttl, revoked, session_id, lock_key, %s FROM %s WHERE ";

    private final String table;
    private final String salt;
    private final String now;
    private final NameColumn nameColumn;

    /**
     * For a table.
     *
     * @param salt what the keys of new names are derived from, beside the name
     * @param now an expression for the database's time in microseconds since 1970
     */
    protected TokenRows(String table, String salt, String now, NameColumn nameColumn) {
        this.table = table;
        this.salt = salt;
        this.now = now;
        this.nameColumn = nameColumn;
    }

    /** The name of the table. */
    public final String table() {
        return table;
    }

    /** What makes an INSERT do nothing if the name has a row. */
    protected abstract String unlessPresent();

    /** The text that draws: 1 span, 2 span, 3 holder, 4 client, 5 label, 6 TTL, 7 connection id (0: this one), 8 name. */
    public abstract String drawText();

    /** What makes the statement that draws wait until its commit is flushed (U35); empty if the server's setting decides. */
    protected abstract String flushed();

    /** How many tokens, from a column {@code last_token} and one parameter for the wanted span. */
    protected final String spanText() {
        return "CASE WHEN last_token > 0 AND last_token - " + now + " <= " + TokenRule.SPAN_LEAD_MICROS
                + " THEN ? ELSE 1 END";
    }

    /** The first token, from a column {@code last_token}. */
    protected final String firstText() {
        return "CASE WHEN last_token = 0 THEN " + now + " + " + TokenRule.START_AHEAD_MICROS
                + " ELSE greatest(last_token + 1, " + now + ") END";
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
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + table
                + " (name, lock_key, client, label, last_token, span, ttl, revoked, session_id)"
                + " VALUES (?, ?, '', '', 0, 0, 0, 0, 0) " + unlessPresent())) {
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

    /** Binds {@link #drawText()}; answers the next position. */
    public final int bindDraw(PreparedStatement statement, String name, Claim claim, long connectionId)
            throws SQLException {
        statement.setInt(1, claim.span());
        statement.setInt(2, claim.span());
        statement.setBytes(3, StoredLease.bytes(claim.holder()));
        statement.setString(4, LabelColumn.shortened(claim.clientId()));
        statement.setString(5, LabelColumn.shortened(claim.label()));
        statement.setLong(6, claim.ttl().toNanos() / 1000);
        statement.setLong(7, connectionId);
        setName(statement, 8, name);
        return 9;
    }

    /** Draws for another connection, which has the lock under its name. */
    public final DrawnTokens drawFor(Connection connection, String name, Claim claim, long connectionId)
            throws SQLException {
        return draw(connection, name, claim, connectionId, "");
    }

    /** Draws for this connection, which has the lock under this key. */
    public final DrawnTokens drawUnder(Connection connection, String name, Claim claim, long key) throws SQLException {
        return draw(connection, name, claim, 0, " AND lock_key = " + key);
    }

    private DrawnTokens draw(Connection connection, String name, Claim claim, long connectionId, String condition)
            throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(drawText() + condition + flushed())) {
            bindDraw(update, name, claim, connectionId);
            update.execute();
        }
        TokenRow row = read(connection, name);
        if (row == null || !claim.holder().equals(row.holder())) {
            throw new SQLException("the row of lock '" + name + "' in " + table + " was deleted or replaced", "40001");
        }
        return new DrawnTokens(row.last() - row.span() + 1, row.span());
    }

    /** Renewals of the holder that was seen are refused from now on; those of a later holder are not (U32). */
    void revoke(Connection connection, TokenRow seen) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE " + table + " SET revoked = 1 WHERE name = ? AND last_token = ?")) {
            setName(update, 1, seen.name());
            update.setLong(2, seen.last());
            update.executeUpdate();
        }
    }

    /** Whether the last holder of a name was revoked. */
    public final boolean isRevoked(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT revoked FROM " + table + " WHERE name = ?")) {
            setName(statement, 1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getInt(1) != 0;
            }
        }
    }

    /** The row of a name; null if it has none. */
    public final @Nullable TokenRow read(Connection connection, String name) throws SQLException {
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

    /** The error of a name whose row was deleted while its lock was taken. */
    public final SQLException lost(String name) {
        return new SQLException("the table " + table + " has lost the row of lock '" + name + "'", "02000");
    }

    /** Binds a name. */
    public final void setName(PreparedStatement statement, int at, String name) throws SQLException {
        nameColumn.set(statement, at, name);
    }

    private TokenRow row(ResultSet row) throws SQLException {
        byte[] holder = row.getBytes(2);
        return new TokenRow(
                nameColumn.get(row, 1),
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
