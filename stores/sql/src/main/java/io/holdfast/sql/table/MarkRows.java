package io.holdfast.sql.table;

import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.guard.jdbc.FenceRow;
import io.holdfast.guard.jdbc.FenceTable;
import io.holdfast.guard.jdbc.JdbcGuard;
import io.holdfast.spi.MarkResult;
import io.holdfast.sql.config.SqlConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Marks of resources that cannot keep them themselves, in the fence table beside the locks. Each mark is a {@link
 * JdbcGuard} in a transaction that does nothing else. Without a namespace a mark is the row that a {@code JdbcGuard} of
 * the same resource uses, so that a script and an application agree.
 */
public final class MarkRows {
    private final FenceTable table;

    public MarkRows(SqlConfig config) {
        table = FenceTable.named(config.fenceTable());
    }

    /** On a connection in autocommit, which is in autocommit again afterwards. */
    public MarkResult admit(Connection connection, String resource, Sequencer sequencer) throws SQLException {
        JdbcGuard guard = JdbcGuard.of(resource, sequencer.lockName()).in(table);
        connection.setAutoCommit(false);
        try {
            MarkResult result = decide(connection, guard, sequencer);
            connection.commit();
            return result;
        } catch (SQLException | RuntimeException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private MarkResult decide(Connection connection, JdbcGuard guard, Sequencer sequencer) throws SQLException {
        try {
            guard.admit(connection, sequencer);
            return new MarkResult.Admitted();
        } catch (StaleTokenException e) {
            return new MarkResult.Stale(e.seen());
        } catch (IllegalArgumentException e) {
            // Looked for only now: the first statement of a guarded transaction is the mark.
            Optional<FenceRow> known = table.find(connection, guard.resource());
            if (known.isPresent() && !known.get().lockName().equals(sequencer.lockName())) {
                return new MarkResult.OtherLock(known.get().lockName());
            }
            throw e;
        }
    }
}
