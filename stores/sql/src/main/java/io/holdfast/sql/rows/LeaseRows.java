package io.holdfast.sql.rows;

import io.holdfast.Mode;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.Term;
import io.holdfast.spi.support.NameSpace;
import io.holdfast.spi.support.StoredLease;
import io.holdfast.spi.support.TokenRule;
import io.holdfast.sql.table.LabelColumn;
import io.holdfast.sql.table.NameColumn;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The table of lock rows in a database server. Reads a row with the database's time, and writes it back if no other
 * connection wrote it in between. Every method is autocommitted statements; no transaction is open between two of them,
 * so a client that stops between two statements keeps no other client waiting.
 *
 * <p>This is the part that every database can do. Subclasses decide common cases in the statement itself.
 */
public abstract class LeaseRows {
    /** In this order, after the time. */
    protected static final String COLUMNS =
            "name, stamp, last_token, holder, state, lease_end, closed_end, token, span, ttl,"
                    + " client, label, extra, extra_end";

    private static final int BATCH = 200;

    protected final String table;
    protected final String now;
    protected final NameColumn nameColumn;
    protected final RecentlyFreeNames free = new RecentlyFreeNames();
    protected final WaitNotes notes;

    /**
     * For a table.
     *
     * @param table its name, quoted and qualified as needed
     * @param now an expression for the database's time in microseconds since 1970, whatever the connection's time zone
     * @param nameColumn how names are stored
     */
    protected LeaseRows(String table, String now, NameColumn nameColumn) {
        this.table = table;
        this.now = now;
        this.nameColumn = nameColumn;
        this.notes = new WaitNotes(table + "_note", now, nameColumn);
    }

    /**
     * Tries a claim in as few statements as the database can decide it with. The answer is the grant, or the row as it
     * was seen, for {@link RowRules}. Here an exclusive lock that was free the last time is written first and then read
     * back: a grant is believed because the row carries the claim's own holder id, never because a row was counted (U12).
     */
    protected Attempt attempt(Connection connection, String name, Claim claim, long sent) throws SQLException {
        if (claim.mode() != Mode.EXCLUSIVE || !free.contains(name)) {
            return new Attempt(null, read(connection, name));
        }
        take(connection, name, claim);
        RowRead read = read(connection, name);
        StoredLease now = read.row().exclusive();
        if (now != null && now.state() == StoredLease.HELD && claim.holder().equals(now.holder())) {
            return new Attempt(new Granted(now.token(), now.span(), Term.of(sent, claim.ttl())), null);
        }
        free.remove(name);
        return new Attempt(null, read);
    }

    /**
     * Takes the row that is there and free. The tokens are computed from the row as it is once the statement has locked it.
     * The last token is set last, because some databases evaluate from left to right with the new values, and others
     * with the old ones.
     */
    private void take(Connection connection, String name, Claim claim) throws SQLException {
        long ttl = claim.ttl().toNanos() / 1000;
        String first = "greatest(last_token + 1, " + now + ")";
        String got = "CASE WHEN last_token - " + now + " <= " + TokenRule.SPAN_LEAD_MICROS + " THEN ? ELSE 1 END";
        try (PreparedStatement update = connection.prepareStatement("UPDATE " + table + " SET stamp = stamp + 1,"
                + " holder = ?, state = 0, lease_end = " + now + " + ?, closed_end = " + now + " + ?, token = " + first
                + ", span = " + got + ", ttl = ?, client = ?, label = ?, extra = NULL, extra_end = 0, last_token = "
                + first + " - 1 + " + got + " WHERE name = ? AND state = 2 AND closed_end <= " + now
                + " AND extra_end <= " + now + " AND last_token > 0 AND (holder IS NULL OR holder <> ?)")) {
            byte[] holder = StoredLease.bytes(claim.holder());
            int at = 1;
            update.setBytes(at++, holder);
            update.setLong(at++, ttl);
            update.setLong(at++, ttl + claim.lockDelay().toNanos() / 1000);
            update.setInt(at++, claim.span());
            update.setLong(at++, ttl);
            update.setString(at++, LabelColumn.shortened(claim.clientId()));
            update.setString(at++, LabelColumn.shortened(claim.label()));
            update.setInt(at++, claim.span());
            nameColumn.set(update, at++, name);
            update.setBytes(at, holder);
            update.executeUpdate();
        }
    }

    /** What {@link #attempt} found: one of the two. */
    public record Attempt(
            @Nullable AcquireResult answer, @Nullable RowRead read) {}

    /**
     * Releases an exclusive lock in one statement, which also answers for how long this client leaves the name to others
     * (L21); null if it did not find the lock held.
     */
    final @Nullable Duration release(Connection connection, String name, Claim claim) throws SQLException {
        if (claim.mode() != Mode.EXCLUSIVE) {
            return null;
        }
        Duration standBack = releaseExclusive(connection, name, claim);
        if (standBack != null) {
            free.add(name);
        }
        return standBack;
    }

    /** The statement of {@link #release}, and its answer. */
    protected abstract @Nullable Duration releaseExclusive(Connection connection, String name, Claim claim)
            throws SQLException;

    /**
     * Extends exclusive leases in one statement, if the database can: those of which this says nothing are renewed one
     * by one. Answers holder → TTL in nanoseconds.
     */
    protected Map<HolderId, Long> extend(Connection connection, List<String> names, List<Claim> claims)
            throws SQLException {
        return Map.of();
    }

    /** Whether {@link #write} is answered by the row that was written; else the caller reads the row again. */
    protected boolean readsBack() {
        return false;
    }

    /** One row, or an absent one. */
    final RowRead read(Connection connection, String name) throws SQLException {
        return read(connection, List.of(name)).get(0);
    }

    /** Many rows in the order of the names, from as few statements as need be. */
    protected List<RowRead> read(Connection connection, List<String> names) throws SQLException {
        List<RowRead> rows = new ArrayList<>(names.size());
        for (int from = 0; from < names.size(); from += BATCH) {
            List<String> part = names.subList(from, Math.min(names.size(), from + BATCH));
            String marks = "?" + ", ?".repeat(part.size() - 1);
            try (PreparedStatement statement = connection.prepareStatement("SELECT n.now_us, " + COLUMNS
                    + " FROM (SELECT " + now + " AS now_us) n LEFT JOIN " + table + " l ON l.name IN (" + marks
                    + ")")) {
                for (int i = 0; i < part.size(); i++) {
                    nameColumn.set(statement, i + 1, part.get(i));
                }
                collect(statement, part, rows);
            }
        }
        return rows;
    }

    protected final void collect(PreparedStatement statement, List<String> names, List<RowRead> into)
            throws SQLException {
        Map<String, LockRow> found = new HashMap<>();
        long time = 0;
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                time = rows.getLong(1) * 1000;
                LockRow row = row(rows, 2);
                if (row != null) {
                    found.put(row.name(), row);
                }
            }
        }
        for (String name : names) {
            LockRow row = found.get(name);
            into.add(new RowRead(row == null ? LockRow.absent(name) : row, time));
        }
    }

    /** Writes {@code next} if the row still has the stamp that it was read with; says whether it did. */
    protected boolean write(Connection connection, LockRow next, RowRead read, boolean opens) throws SQLException {
        if (next.stamp() == 0) {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + table + " (" + COLUMNS
                    + ", waited) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)")) {
                nameColumn.set(insert, 1, next.name());
                bind(insert, 2, next, read.now() / 1000);
                return insert.executeUpdate() == 1;
            } catch (SQLIntegrityConstraintViolationException taken) {
                return false;
            } catch (SQLException e) {
                if (e.getSQLState() != null && e.getSQLState().startsWith("23")) {
                    return false;
                }
                throw e;
            }
        }
        try (PreparedStatement update = connection.prepareStatement(updateText() + sameText())) {
            int at = bind(update, 1, next, next.stamp() + 1);
            nameColumn.set(update, at, next.name());
            update.setLong(at + 1, next.stamp());
            return update.executeUpdate() == 1;
        }
    }

    /** The condition of an UPDATE for the row as it was read: 1 name, 2 stamp. */
    protected String sameText() {
        return " WHERE name = ? AND stamp = ?";
    }

    protected final String updateText() {
        return "UPDATE " + table + " SET stamp = ?, last_token = ?, holder = ?, state = ?, lease_end = ?,"
                + " closed_end = ?, token = ?, span = ?, ttl = ?, client = ?, label = ?, extra = ?, extra_end = ?";
    }

    /** Names that are held or closed, from a prefix on, with their rows. */
    List<RowRead> list(Connection connection, NameSpace names, LockQuery query) throws SQLException {
        String from = names.full(query.text());
        List<RowRead> found = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement("SELECT " + now + ", " + COLUMNS + " FROM "
                + table + " WHERE name >= ? AND name < ? AND (closed_end > " + now + " OR extra_end > " + now
                + ") ORDER BY name")) {
            nameColumn.set(statement, 1, from);
            nameColumn.set(statement, 2, NameSpace.after(from));
            statement.setFetchSize(query.limit());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next() && found.size() < query.limit()) {
                    long time = rows.getLong(1) * 1000;
                    LockRow row = row(rows, 2);
                    if (row != null
                            && !row.name().substring(from.length()).contains(NameSpace.SEPARATOR)
                            && row.leases().leases().stream().anyMatch(held -> held.closes(time))) {
                        found.add(new RowRead(row, time));
                    }
                }
            }
        }
        return found;
    }

    /**
     * Deletes up to {@code limit} rows after a name that are free and whose last token is a day behind the database's
     * clock (N4), so that the name's next token is larger even if the clock was set back by hours. Answers the name
     * with which the part ended; empty at the end of the table.
     */
    public String sweep(Connection connection, String after, int limit) throws SQLException {
        List<String> seen = new ArrayList<>();
        try (PreparedStatement part = connection.prepareStatement(
                "SELECT name FROM " + table + " WHERE name > ? ORDER BY name LIMIT " + limit)) {
            nameColumn.set(part, 1, after);
            try (ResultSet rows = part.executeQuery()) {
                while (rows.next()) {
                    seen.add(nameColumn.get(rows, 1));
                }
            }
        }
        if (seen.isEmpty()) {
            notes.sweep(connection, limit);
            return "";
        }
        String last = seen.get(seen.size() - 1);
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM " + table
                + " WHERE name > ? AND name <= ? AND closed_end <= " + now + " AND extra_end <= " + now
                + " AND last_token < " + now + " - 86400000000")) {
            nameColumn.set(delete, 1, after);
            nameColumn.set(delete, 2, last);
            delete.executeUpdate();
        }
        notes.sweep(connection, limit);
        return seen.size() < limit ? "" : last;
    }

    /** The columns of {@link #updateText()}; answers the next position. */
    protected final int bind(PreparedStatement statement, int from, LockRow row, long stamp) throws SQLException {
        StoredLease exclusive = row.exclusive();
        int at = from;
        statement.setLong(at++, stamp);
        statement.setLong(at++, row.last());
        HolderId holder = exclusive == null ? null : exclusive.holder();
        statement.setBytes(at++, holder == null ? null : StoredLease.bytes(holder));
        statement.setInt(at++, exclusive == null ? StoredLease.RELEASED : exclusive.state());
        statement.setLong(at++, exclusive == null ? 0 : exclusive.until() / 1000);
        statement.setLong(at++, exclusive == null ? 0 : exclusive.closed() / 1000);
        statement.setLong(at++, exclusive == null ? 0 : exclusive.token());
        statement.setInt(at++, exclusive == null ? 0 : exclusive.span());
        statement.setLong(at++, exclusive == null ? 0 : exclusive.ttlNanos() / 1000);
        statement.setString(at++, exclusive == null ? "" : LabelColumn.shortened(exclusive.clientId()));
        statement.setString(at++, exclusive == null ? "" : LabelColumn.shortened(exclusive.label()));
        statement.setBytes(at++, ExtraCodec.write(row));
        statement.setLong(at++, row.extraUntil() / 1000);
        return at;
    }

    protected final @Nullable LockRow row(ResultSet row, int from) throws SQLException {
        long stamp = row.getLong(from + 1);
        if (stamp == 0) {
            return null;
        }
        byte[] holder = row.getBytes(from + 3);
        StoredLease exclusive = holder == null
                ? null
                : new StoredLease(
                        StoredLease.holder(holder),
                        Mode.EXCLUSIVE,
                        row.getInt(from + 4),
                        row.getLong(from + 5) * 1000,
                        row.getLong(from + 6) * 1000,
                        row.getLong(from + 7),
                        row.getInt(from + 8),
                        row.getLong(from + 9) * 1000,
                        Optional.ofNullable(row.getString(from + 10)).orElse(""),
                        Optional.ofNullable(row.getString(from + 11)).orElse(""));
        ExtraCodec.Extra extra = ExtraCodec.read(row.getBytes(from + 12));
        return new LockRow(
                nameColumn.get(row, from), stamp, row.getLong(from + 2), exclusive, extra.shares(), extra.tombstones());
    }
}
