package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/** The pool; or the connection that listens, for a thread that just heard on it that its lock may be free. */
final class EarOrPool implements SqlSessions {
    private final SqlSessions pool;
    private final PostgresListener listener;
    private final String location;

    EarOrPool(SqlSessions pool, PostgresListener listener, String location) {
        this.pool = pool;
        this.listener = listener;
        this.location = location;
    }

    @Override
    public <T> T call(long budgetNanos, Work<T> work) {
        Connection lent = listener.lentConnection();
        return lent == null
                ? pool.call(budgetNanos, work)
                : Turns.uninterrupted(() -> onEar(lent, System.nanoTime() + budgetNanos, budgetNanos, work));
    }

    private <T> T onEar(Connection lent, long deadline, long budgetNanos, Work<T> work) {
        boolean healthy = false;
        try {
            Turns.bound(lent, budgetNanos);
            T result = Turns.run(lent, deadline, work);
            healthy = true;
            return result;
        } catch (SQLException e) {
            throw SqlErrors.whileRunning(e, location);
        } finally {
            if (!healthy) {
                listener.broke();
            }
        }
    }

    @Override
    public void close() {
        pool.close();
    }
}
