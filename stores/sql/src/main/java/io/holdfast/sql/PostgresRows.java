package io.holdfast.sql;

import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.Term;
import io.holdfast.spi.support.StoredLease;
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
 * a shorter UPDATE than for several. When the UPDATE had to wait for somebody's row lock, PostgreSQL
 * evaluates its condition and its values again on the row as that transaction left it: the token is one more than the
 * last one <em>under the lock</em>, never a value that was drawn before the wait. A grant is believed because the
 * statement returned the own holder id (U12). A refused claim locks and writes nothing, so it costs no flush.
 *
 * <p><b>Durability</b> (U23). Grants and renewals raise {@code synchronous_commit} to {@code on} for their own
 * transaction if the default is weaker; a release lowers it to {@code off} for its own. Both inside the statement, with
 * {@code set_config(…, true)}: nothing of it outlives the autocommitted statement on a pooled session.
 *
 * <p><b>Time</b> is {@code statement_timestamp()}, read when the statement arrived. A statement that waits for a row
 * lock works with an old time: others look alive for longer, and the own lease ends earlier. Renewals do not wait (L7)
 * and read {@code clock_timestamp()}.
 */
final class PostgresRows extends LeaseRows {
    // As a double, which is exact to a quarter of a microsecond and costs a tenth of extract's numeric.
    static final String NOW = "(date_part('epoch', statement_timestamp()) * 1000000)::bigint";
    private static final String CLOCK = "(date_part('epoch', clock_timestamp()) * 1000000)::bigint";
    /** Raises every weaker setting, {@code remote_write} too: it waits for no flush of the standby (U23). */
    static final String DURABLE = "CASE WHEN current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')"
            + " THEN set_config('synchronous_commit', 'on', true) END";

    private static final String LAZY = "set_config('synchronous_commit', 'off', true)";
    private static final Duration MARK = Duration.ofSeconds(60);

    private final String takeText;
    private final String takeOneText;
    private final String acquireText;
    private final String releaseText;
    private final String extendText;
    private final String insertText;
    private final String swapText;
    private final String openText;
    private final String markText;
    private final String readText;

    /**
     * For a table.
     *
     * @param channel where waiters listen
     */
    PostgresRows(String table, String channel) {
        super(table, NOW);
        String first = "greatest(last_token + 1, " + NOW + ")";
        String got = "CASE WHEN last_token - " + NOW + " <= 100000 THEN ? ELSE 1 END";
        String end = NOW + " + ?::bigint";
        takeText = take(table, first + " - 1 + " + got, first, end, got);
        takeOneText = take(table, first, first, end, "1");
        acquireText = "WITH u AS (" + takeText + "),"
                + " i AS (INSERT INTO " + table + " (" + COLUMNS + ", waited) SELECT ?, " + NOW + ", " + NOW
                + " + 200000, ?, 0, " + end + ", " + end + ", " + NOW + " + 200000, 1, ?, ?, ?, NULL, 0, 0"
                + " WHERE NOT EXISTS (SELECT 1 FROM " + table + " WHERE name = ?)"
                + " ON CONFLICT DO NOTHING RETURNING holder, token, span, " + DURABLE + "),"
                + " g AS (SELECT * FROM u UNION ALL SELECT * FROM i)"
                + " SELECT n.now_us, g.holder, g.token, g.span, l.name, l.stamp, l.last_token, l.holder, l.state,"
                + " l.lease_end, l.closed_end, l.token, l.span, l.ttl, l.client, l.label, l.extra, l.extra_end"
                + " FROM (SELECT " + NOW + " AS now_us) n LEFT JOIN g ON true LEFT JOIN " + table
                + " l ON l.name = ? AND g.holder IS NULL";
        String notify = "CASE WHEN waited > " + NOW + " THEN pg_notify('" + channel + "', name::text)::text END";
        releaseText = "UPDATE " + table + " SET stamp = stamp + 1, state = 2, lease_end = " + NOW
                + ", closed_end = 0 WHERE name = ? AND holder = ? AND closed_end > " + NOW + " RETURNING holder, ("
                + waiters.longestText() + "), " + LAZY + ", " + notify;
        extendText = "WITH got AS MATERIALIZED (SELECT l.name FROM " + table
                + " l JOIN unnest(?::text[], ?::bytea[]) AS w(name, holder) ON l.name = w.name AND l.holder = w.holder"
                + " WHERE l.state = 0 AND l.lease_end > " + CLOCK + " ORDER BY l.name FOR UPDATE OF l SKIP LOCKED)"
                + " UPDATE " + table + " l SET stamp = stamp + 1, lease_end = " + CLOCK + " + ttl, closed_end = "
                + CLOCK
                + " + ttl + (closed_end - lease_end) FROM got WHERE l.name = got.name"
                + " RETURNING l.holder, l.ttl, " + DURABLE;
        insertText = "INSERT INTO " + table + " (" + COLUMNS
                + ", waited) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING"
                + " RETURNING stamp, " + DURABLE;
        // Whoever has the row locked is about to change its stamp: there is nothing to wait for (L7).
        String same = " WHERE name = (SELECT name FROM " + table
                + " WHERE name = ? AND stamp = ? FOR UPDATE SKIP LOCKED) RETURNING stamp, ";
        swapText = updateText() + same + DURABLE;
        openText = updateText() + same + LAZY + ", " + notify;
        markText = "UPDATE " + table + " SET waited = " + NOW + " + " + MARK.toNanos() / 1000
                + " WHERE name = ? RETURNING " + LAZY;
        readText = "SELECT n.now_us, " + COLUMNS + " FROM (SELECT " + NOW + " AS now_us) n LEFT JOIN " + table
                + " l ON l.name = ANY (?)";
    }

    private static String take(String table, String last, String first, String end, String span) {
        return "UPDATE " + table + " SET stamp = stamp + 1, last_token = " + last
                + ", holder = ?, state = 0, lease_end = "
                + end + ", closed_end = " + end + ", token = " + first + ", span = " + span
                + ", ttl = ?, client = ?, label = ?, extra = NULL, extra_end = 0"
                + " WHERE name = ? AND state = 2 AND greatest(closed_end, extra_end) <= " + NOW
                + " AND last_token > 0 AND holder IS DISTINCT FROM ? RETURNING holder, token, span, " + DURABLE;
    }

    @Override
    Attempt attempt(Connection connection, String name, Claim claim, long sent) throws SQLException {
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
        try (PreparedStatement statement = connection.prepareStatement(acquireText)) {
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

    /** The row that is there and free: the statement of a lock that nobody else wants. */
    private @Nullable Granted take(Connection connection, String name, byte[] holder, Claim claim, long sent)
            throws SQLException {
        boolean one = claim.span() == 1;
        try (PreparedStatement statement = connection.prepareStatement(one ? takeOneText : takeText)) {
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
        statement.setString(at++, shortened(claim.clientId()));
        statement.setString(at++, shortened(claim.label()));
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
        statement.setString(at++, shortened(claim.clientId()));
        statement.setString(at++, shortened(claim.label()));
        statement.setString(at++, name);
        statement.setString(at, name);
    }

    @Override
    @Nullable
    Duration opened(Connection connection, String name, Claim claim) throws SQLException {
        byte[] holder = StoredLease.bytes(claim.holder());
        try (PreparedStatement statement = connection.prepareStatement(releaseText)) {
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
    Map<HolderId, Long> extend(Connection connection, List<String> names, List<Claim> claims) throws SQLException {
        byte[][] holders = new byte[claims.size()][];
        for (int i = 0; i < holders.length; i++) {
            holders[i] = StoredLease.bytes(claims.get(i).holder());
        }
        Map<HolderId, Long> extended = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(extendText)) {
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
    List<RowRead> read(Connection connection, List<String> names) throws SQLException {
        List<RowRead> rows = new ArrayList<>(names.size());
        try (PreparedStatement statement = connection.prepareStatement(readText)) {
            statement.setArray(1, connection.createArrayOf("text", names.toArray()));
            collect(statement, names, rows);
        }
        return rows;
    }

    @Override
    boolean readsBack() {
        return true;
    }

    @Override
    boolean write(Connection connection, LockRow next, RowRead read, boolean opens) throws SQLException {
        boolean fresh = next.stamp() == 0;
        try (PreparedStatement statement =
                connection.prepareStatement(fresh ? insertText : opens ? openText : swapText)) {
            long stamp = fresh ? read.now() / 1000 : next.stamp() + 1;
            if (fresh) {
                setName(statement, 1, next.name());
            }
            int at = bind(statement, fresh ? 2 : 1, next, stamp);
            if (!fresh) {
                setName(statement, at, next.name());
                statement.setLong(at + 1, next.stamp());
            }
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getLong(1) == stamp;
            }
        }
    }

    /**
     * Notes in the row that somebody waits, so that whoever gives it back notifies. Not durable: it is a hint. False if
     * there is no row.
     */
    boolean mark(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(markText)) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    /** Somebody said that the name was given back: the simpler statement will most likely do. */
    void expectFree(String name) {
        free.add(name);
    }

    /** How long a mark is good for without being set again. */
    static Duration markedFor() {
        return MARK.dividedBy(2);
    }

    @Override
    void setName(PreparedStatement statement, int at, String name) throws SQLException {
        statement.setString(at, name);
    }

    @Override
    String getName(ResultSet row, int at) throws SQLException {
        return row.getString(at);
    }
}
