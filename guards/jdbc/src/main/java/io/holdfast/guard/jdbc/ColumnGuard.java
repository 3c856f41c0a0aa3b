package io.holdfast.guard.jdbc;

import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Guards one row in one statement, with the mark in a column of that row. The SQL is the user's and is never changed;
 * it carries the two places for the token, and the guard binds them:
 *
 * <pre>{@code
 * UPDATE stock SET pieces = pieces - 1, fence = ? WHERE id = ? AND pieces > 0 AND fence <= ?
 * }</pre>
 *
 * <p>This is enough where the statement reads and writes at once, as above. A holder that reads first and writes what
 * it computed must <em>mark</em> first, with {@code UPDATE stock SET fence = ? WHERE id = ? AND fence <= ?}: a check at
 * the write alone loses updates (U1). The mark goes when the row is deleted (U19); where rows are deleted, or more than
 * one is touched, use {@link JdbcGuard}. There is one mark, so shared sequencers are refused.
 *
 * <p>The column is {@code BIGINT NOT NULL DEFAULT 0}. Thread-safe; the statements are not.
 */
public final class ColumnGuard {
    private final SequencerCheck sequencers;
    private final AtomicLong refusals = new AtomicLong();

    private ColumnGuard(SequencerCheck sequencers) {
        this.sequencers = sequencers;
    }

    /** Guards the row called {@code resource} in messages, which the lock {@code lockName} protects. */
    public static ColumnGuard of(String resource, String lockName) {
        return new ColumnGuard(SequencerCheck.of(resource, lockName));
    }

    /** Across a trust boundary: only sequencers signed with {@code key} are believed. */
    public ColumnGuard signedWith(byte[] key) {
        return new ColumnGuard(sequencers.signedWith(key));
    }

    /**
     * Binds the token at its two places and executes the statement. Inside or outside a transaction.
     *
     * @param sequencer of the lease
     * @param update the statement, every other parameter set
     * @param setIndex the parameter of {@code fence = ?}
     * @param checkIndex the parameter of {@code fence <= ?}
     * @param current a query for the fence column of the same row, its parameters set; asked only if nothing was
     *     updated. On MariaDB and MySQL at REPEATABLE READ let it end with {@code FOR UPDATE}, or it answers from the
     *     transaction's snapshot
     * @throws StaleTokenException if the row carries a newer token
     * @throws IllegalArgumentException if the sequencer is of another lock, shared, of a permit, or not signed as
     *     required
     * @throws IllegalStateException if the statement changed more than one row (then roll back), or the column is null
     */
    public ColumnOutcome update(
            Sequencer sequencer, PreparedStatement update, int setIndex, int checkIndex, PreparedStatement current)
            throws SQLException {
        sequencers.check(sequencer);
        if (sequencer.mode() != Mode.EXCLUSIVE) {
            throw new IllegalArgumentException("'" + sequencers.resource() + "' has one mark in a column, which cannot"
                    + " tell readers from writers: use JdbcGuard for shared leases");
        }
        update.setLong(setIndex, sequencer.token());
        update.setLong(checkIndex, sequencer.token());
        int rows = update.executeUpdate();
        if (rows > 1) {
            throw new IllegalStateException("the statement changed " + rows + " rows of '" + sequencers.resource()
                    + "': in column mode it must address one row by its key, because rows with a newer token are"
                    + " silently left out. Roll back, and use JdbcGuard for several rows");
        }
        return rows == 1 ? ColumnOutcome.APPLIED : why(sequencer, current);
    }

    /** How many tokens this object refused as stale. */
    public long refusals() {
        return refusals.get();
    }

    /**
     * With {@code useAffectedRows=true} MySQL and MariaDB count the rows that changed, not those that matched: a repeated
     * mark and a condition that failed look the same.
     */
    private void checkCountsMatches(Connection connection) throws SQLException {
        String url = String.valueOf(connection.getMetaData().getURL()).toLowerCase(Locale.ROOT);
        if (url.contains("useaffectedrows=true")) {
            throw new IllegalStateException(
                    "with useAffectedRows=true in the JDBC URL the driver does not tell whether the"
                            + " statement found the row of '" + sequencers.resource()
                            + "', which has this token already: remove the option, or use JdbcGuard");
        }
    }

    private ColumnOutcome why(Sequencer sequencer, PreparedStatement current) throws SQLException {
        try (ResultSet row = current.executeQuery()) {
            if (!row.next()) {
                return ColumnOutcome.NO_SUCH_ROW;
            }
            long seen = row.getLong(1);
            if (row.wasNull()) {
                throw new IllegalStateException("the fence column of '" + sequencers.resource()
                        + "' is NULL, which no token passes: declare it BIGINT NOT NULL DEFAULT 0");
            }
            if (seen > sequencer.token()) {
                refusals.incrementAndGet();
                throw new StaleTokenException(sequencers.resource(), sequencers.lockName(), seen, sequencer.token());
            }
            if (seen == sequencer.token()) {
                checkCountsMatches(current.getConnection());
            }
            return ColumnOutcome.NOT_MATCHED;
        }
    }
}
