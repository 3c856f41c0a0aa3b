package io.holdfast.sql.postgres;

import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.Term;
import io.holdfast.spi.support.StoredLease;
import io.holdfast.sql.rows.LeaseRows;
import io.holdfast.sql.rows.LockRow;
import io.holdfast.sql.rows.RowRead;
import io.holdfast.sql.rows.WaitNotes;
import io.holdfast.sql.table.LabelColumn;
import io.holdfast.sql.table.NameColumn;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lock rows in PostgreSQL, where the common cases are decided by the statement that writes them.
 *
 * <p><b>Acquire</b> is one statement with three parts: an UPDATE for the row that is there and free, an INSERT for a new
 * name, and the row as it stands if neither applied. For a name that was free the last time, the UPDATE alone is tried
 * first: starting the larger plan costs the server as much as running it. So does every expression: for one token there is
 * a shorter UPDATE than for several. When the UPDATE had to wait for the row lock of another transaction, PostgreSQL
 * evaluates its condition and its values again on the row as that transaction left it. So the token is one more than the
 * last one <em>under the lock</em>, never a value that was drawn before the wait. A grant is believed because the
 * statement returned the claim's own holder id (U12). A refused claim locks and writes nothing, so it costs no flush.
 *
 * <p><b>Durability</b> (U23). Grants and renewals raise {@code synchronous_commit} to {@code on} for their own
 * transaction if the default is weaker; a release lowers it to {@code off} for its own. Both inside the statement, with
 * {@code set_config(…, true)}: it ends with the autocommitted statement, also on a pooled connection.
 *
 * <p><b>Time</b> is {@code statement_timestamp()}, read when the statement arrived. A statement that waits for a row
 * lock works with an old time: other leases look alive for longer, and the own lease ends earlier. Renewals do not wait
 * (L7) and read {@code clock_timestamp()}.
 */
public final class PostgresRows extends LeaseRows {
    private final PostgresStatements statements;

    /**
     * For a table.
     *
     * @param channel where waiting clients listen
     */
    public PostgresRows(String table, String channel) {
        super(table, PostgresStatements.NOW, NameColumn.TEXT);
        statements = new PostgresStatements(
                new PostgresStatements.Words(table, channel, COLUMNS, updateText(), notes.longestText()));
    }

    @Override
    protected Attempt attempt(Connection connection, String name, Claim claim, long sent) throws SQLException {
        if (claim.mode() != Mode.EXCLUSIVE) {
            return super.attempt(connection, name, claim, sent);
        }
        byte[] holder = StoredLease.bytes(claim.holder());
        if (free.contains(name)) {
            Granted granted = take(connection, name, holder, claim, sent);
            if (granted != null) {
                return new Attempt(granted, null);
            }
            free.remove(name);
        }
        try (PreparedStatement statement = connection.prepareStatement(statements.acquire)) {
            bindInsert(statement, bindTake(statement, name, holder, claim, true), name, holder, claim);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                byte[] granted = row.getBytes(2);
                if (granted != null && Arrays.equals(granted, holder)) {
                    free.add(name);
                    return new Attempt(granted(row, 3, claim, sent), null);
                }
                long time = row.getLong(1) * 1000;
                LockRow seen = row(row, 5);
                return new Attempt(null, new RowRead(seen == null ? LockRow.absent(name) : seen, time));
            }
        }
    }

    /** Takes the row that is there and free: the statement of a lock that is not contended. */
    private @Nullable Granted take(Connection connection, String name, byte[] holder, Claim claim, long sent)
            throws SQLException {
        boolean one = claim.span() == 1;
        try (PreparedStatement statement = connection.prepareStatement(one ? statements.takeOne : statements.take)) {
            bindTake(statement, name, holder, claim, !one);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && Arrays.equals(row.getBytes(1), holder) ? granted(row, 2, claim, sent) : null;
            }
        }
    }

    /** To the end of the answer: a commit that fails must not look like a grant. */
    private static Granted granted(ResultSet row, int from, Claim claim, long sent) throws SQLException {
        Granted answer = new Granted(row.getLong(from), row.getInt(from + 1), Term.of(sent, claim.ttl()));
        if (row.next()) {
            throw new SQLException("the database granted lock '" + claim.lockName() + "' twice");
        }
        return answer;
    }

    private static int bindTake(PreparedStatement statement, String name, byte[] holder, Claim claim, boolean span)
            throws SQLException {
        long ttl = claim.ttl().toNanos() / 1000;
        int at = 1;
        if (span) {
            statement.setInt(at++, claim.span());
        }
        statement.setBytes(at++, holder);
        statement.setLong(at++, ttl);
        statement.setLong(at++, ttl + claim.lockDelay().toNanos() / 1000);
        if (span) {
            statement.setInt(at++, claim.span());
        }
        statement.setLong(at++, ttl);
        statement.setString(at++, LabelColumn.shortened(claim.clientId()));
        statement.setString(at++, LabelColumn.shortened(claim.label()));
        statement.setString(at++, name);
        statement.setBytes(at++, holder);
        return at;
    }

    private static void bindInsert(PreparedStatement statement, int from, String name, byte[] holder, Claim claim)
            throws SQLException {
        long ttl = claim.ttl().toNanos() / 1000;
        int at = from;
        statement.setString(at++, name);
        statement.setBytes(at++, holder);
        statement.setLong(at++, ttl);
        statement.setLong(at++, ttl + claim.lockDelay().toNanos() / 1000);
        statement.setLong(at++, ttl);
        statement.setString(at++, LabelColumn.shortened(claim.clientId()));
        statement.setString(at++, LabelColumn.shortened(claim.label()));
        statement.setString(at++, name);
        statement.setString(at, name);
    }

    @Override
    protected @Nullable Duration releaseExclusive(Connection connection, String name, Claim claim) throws SQLException {
        byte[] holder = StoredLease.bytes(claim.holder());
        try (PreparedStatement statement = connection.prepareStatement(statements.release)) {
            statement.setString(1, name);
            statement.setBytes(2, holder);
            statement.setString(3, name);
            statement.setBytes(4, WaitNotes.client(claim));
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && Arrays.equals(row.getBytes(1), holder) ? WaitNotes.pause(row.getLong(2)) : null;
            }
        }
    }

    @Override
    protected Map<HolderId, Long> extend(Connection connection, List<String> names, List<Claim> claims)
            throws SQLException {
        byte[][] holders = new byte[claims.size()][];
        for (int i = 0; i < holders.length; i++) {
            holders[i] = StoredLease.bytes(claims.get(i).holder());
        }
        Map<HolderId, Long> extended = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(statements.extend)) {
            statement.setArray(1, connection.createArrayOf("text", names.toArray()));
            statement.setArray(2, connection.createArrayOf("bytea", holders));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    extended.put(StoredLease.holder(row.getBytes(1)), row.getLong(2) * 1000);
                }
            }
        }
        return extended;
    }

    @Override
    protected List<RowRead> read(Connection connection, List<String> names) throws SQLException {
        List<RowRead> rows = new ArrayList<>(names.size());
        try (PreparedStatement statement = connection.prepareStatement(statements.read)) {
            statement.setArray(1, connection.createArrayOf("text", names.toArray()));
            collect(statement, names, rows);
        }
        return rows;
    }

    @Override
    protected boolean readsBack() {
        return true;
    }

    @Override
    protected boolean write(Connection connection, LockRow next, RowRead read, boolean opens) throws SQLException {
        boolean fresh = next.stamp() == 0;
        try (PreparedStatement statement =
                connection.prepareStatement(fresh ? statements.insert : opens ? statements.open : statements.swap)) {
            long stamp = fresh ? read.now() / 1000 : next.stamp() + 1;
            if (fresh) {
                nameColumn.set(statement, 1, next.name());
            }
            int at = bind(statement, fresh ? 2 : 1, next, stamp);
            if (!fresh) {
                nameColumn.set(statement, at, next.name());
                statement.setLong(at + 1, next.stamp());
            }
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getLong(1) == stamp;
            }
        }
    }

    /**
     * Marks the row as waited for, so that the client that releases the name notifies. Not durable: it is a hint. False if
     * there is no row.
     */
    boolean mark(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(statements.mark)) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    /** A notification said that the name was released: the simpler statement will most likely take it. */
    void expectFree(String name) {
        free.add(name);
    }

    /** How long a mark is good for without being set again. */
    static Duration markedFor() {
        return PostgresStatements.MARK.dividedBy(2);
    }
}
