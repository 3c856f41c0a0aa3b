package io.holdfast.sql.session;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A wait for a lock, in statements that each wait for one slice. Any thread can end it. Thread-safe.
 *
 * <p>A statement is cancelled only while it runs, and is not over before its cancellation is: a cancellation that comes
 * late would meet a closed statement, at which MySQL's driver fails, or the connection's next statement.
 */
public final class CancellableWait {
    private final Duration slice;
    private final ReentrantLock ending = new ReentrantLock();
    private @Nullable Statement running;
    private volatile boolean ended;

    /** With statements that wait for so long. */
    public CancellableWait(Duration slice) {
        this.slice = slice;
    }

    /** How long one statement waits. */
    public Duration slice() {
        return slice;
    }

    /** Executes a statement that waits; false if the wait has been ended. */
    public boolean execute(PreparedStatement statement) throws SQLException {
        runs(statement);
        try {
            if (ended) {
                return false;
            }
            statement.execute();
            return true;
        } finally {
            runs(null);
        }
    }

    private void runs(@Nullable Statement statement) {
        ending.lock();
        try {
            running = statement;
        } finally {
            ending.unlock();
        }
    }

    /** Ends it. The statement fails, or has just succeeded. */
    void end() {
        ended = true;
        ending.lock();
        try {
            if (running != null) {
                running.cancel();
            }
        } catch (SQLException e) {
            System.getLogger(CancellableWait.class.getName())
                    .log(System.Logger.Level.DEBUG, "a wait ends by itself: {0}", e.getMessage());
        } finally {
            ending.unlock();
        }
    }

    /** Whether it has been ended. */
    public boolean isEnded() {
        return ended;
    }
}
