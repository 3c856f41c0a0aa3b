package io.holdfast.guard.jdbc;

import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.fence.Marks;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Guards data in a SQL database. {@link #admit} is the <em>first statement</em> of the user's transaction: it raises
 * the marks of the resource in {@link FenceTable} and keeps their row locked until that transaction ends. So whatever
 * follows on the same connection (JDBC, JdbcTemplate, JPA, MyBatis, jOOQ, batches) is fenced, reads included (U1).
 *
 * <p>Why that is enough: two transactions that were admitted to the same resource never overlap, because the second
 * waits for the row; it is admitted only with a token that is not older; and it reads after the first has ended. On
 * PostgreSQL at REPEATABLE READ and SERIALIZABLE the snapshot is older than the wait, and the database answers with a
 * serialization failure instead. That error, like every other of the database, is passed on as it is: the transaction
 * is the caller's, and so is its repetition ({@link Conflicts#isRetryable}).
 *
 * <p>After a {@link StaleTokenException} roll back and stop. A rollback takes the mark of this transaction back; so what was read in a
 * transaction that was rolled back must not be used.
 *
 * <p>Immutable but for its counter; thread-safe. Blocks as long as the connection lets a statement wait for a row.
 */
public final class JdbcGuard {
    private final SequencerCheck sequencers;
    private final FenceTable table;
    private final AtomicLong refusals = new AtomicLong();

    private JdbcGuard(SequencerCheck sequencers, FenceTable table) {
        this.sequencers = sequencers;
        this.table = table;
    }

    /** Guards {@code resource}, which the lock {@code lockName} protects. Believes unsigned sequencers. */
    public static JdbcGuard of(String resource, String lockName) {
        return new JdbcGuard(SequencerCheck.of(resource, lockName), FenceTable.standard());
    }

    /** With the marks in another table. */
    public JdbcGuard in(FenceTable other) {
        return new JdbcGuard(sequencers, other);
    }

    /** Across a trust boundary: only sequencers signed with {@code key} are believed. */
    public JdbcGuard signedWith(byte[] key) {
        return new JdbcGuard(sequencers.signedWith(key), table);
    }

    /** What is guarded. */
    public String resource() {
        return sequencers.resource();
    }

    /**
     * Marks the resource with this token, or refuses it. The first statement of a transaction on {@code connection}.
     *
     * @throws StaleTokenException if a newer token was admitted before
     * @throws IllegalArgumentException if the sequencer is of another lock, of a permit, or not signed as required
     * @throws IllegalStateException if the connection commits by itself
     * @throws SQLException of the database; see {@link Conflicts#isRetryable}
     */
    public void admit(Connection connection, Sequencer sequencer) throws SQLException {
        sequencers.check(sequencer);
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "'" + resource() + "' cannot be guarded on a connection in autocommit mode:"
                            + " the mark would be committed and its row unlocked before your own statements run, and a newer"
                            + " holder could come between. Call connection.setAutoCommit(false), or begin a transaction, first");
        }
        Mode mode = sequencer.mode();
        long token = sequencer.token();
        FenceRow row = table.raise(connection, resource(), sequencers.lockName(), mode == Mode.EXCLUSIVE, token);
        if (!row.lockName().equals(sequencers.lockName())) {
            throw sequencers.otherLock(row.lockName(), sequencer);
        }
        if (!row.marks().admits(mode, token)) {
            refusals.incrementAndGet();
            throw new StaleTokenException(
                    resource(), sequencers.lockName(), row.marks().against(mode), token);
        }
    }

    /** What the resource is marked with, as this connection sees it. */
    public Marks marks(Connection connection) throws SQLException {
        return table.find(connection, resource()).map(FenceRow::marks).orElse(Marks.NONE);
    }

    /** For operators: refuses every token below {@code token} from now on; see {@link FenceTable#raise}. */
    public void raise(Connection connection, long token) throws SQLException {
        table.raise(connection, resource(), sequencers.lockName(), token);
    }

    /** For operators, after every user of the lock was stopped: sets the marks; see {@link FenceTable#reset}. */
    public void reset(Connection connection, Marks marks) throws SQLException {
        table.reset(connection, resource(), sequencers.lockName(), marks);
    }

    /** How many tokens this object refused as stale. */
    public long refusals() {
        return refusals.get();
    }
}
