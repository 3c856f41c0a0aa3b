package io.holdfast.sql;

import io.holdfast.spi.Claim;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A lock that the database keeps for a session and frees when that ends. One connection holds one lock. */
interface SessionLocks {
    /** How long a session may be silent that has a lock and no claim for it. */
    Duration IN_HAND = Duration.ofSeconds(2);

    /**
     * How long a statement may wait for a lock; anybody can end it before. Thread-safe.
     *
     * <p>A statement is cancelled only while it runs, and is not over before that was done: a cancellation that comes late would
     * meet a closed statement, at which MySQL's driver fails, or the connection's next one.
     */
    final class Patience {
        private final Duration slice;
        private final ReentrantLock ending = new ReentrantLock();
        private @Nullable Statement running;
        private volatile boolean ended;

        Patience(Duration slice) {
            this.slice = slice;
        }

        Duration slice() {
            return slice;
        }

        /** Executes a statement that waits; false if it must not any more. */
        boolean execute(PreparedStatement statement) throws SQLException {
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
                System.getLogger(SessionLocks.class.getName())
                        .log(System.Logger.Level.DEBUG, "a wait ends by itself: {0}", e.getMessage());
            } finally {
                ending.unlock();
            }
        }

        boolean isEnded() {
            return ended;
        }
    }

    /**
     * Tries to take the lock on this connection, without waiting, and draws its tokens inside it. From then on the
     * server ends the session if it is silent for the TTL (U22).
     *
     * @param others for what must be committed apart from the lock
     * @return null if another session has it, or the name has no row of tokens any more
     */
    TokenRows.@Nullable Drawn take(Connection connection, String name, Claim claim, SqlSessions others)
            throws SQLException;

    /**
     * Waits for the lock on this connection, in the database's own queue. From then on the server ends the session if it
     * is silent for {@link #IN_HAND}, until {@link #adopt} or {@link #free}.
     *
     * @param others for what must be committed apart from the lock
     * @return the session's id if it has the lock now; 0 if the patience was at its end
     */
    long await(Connection connection, String name, Patience patience, SqlSessions others) throws SQLException;

    /** Makes a grant of a lock that this connection has since {@link #await}: draws its tokens, as {@link #take} does. */
    TokenRows.Drawn adopt(Connection connection, String name, long session, Claim claim, SqlSessions others)
            throws SQLException;

    /** Frees it and takes the limit off the session, so that the connection can be used for another. */
    void free(Connection connection) throws SQLException;

    /** Says something on the connection, so that the server hears it; whether the holder was revoked. */
    boolean ping(Connection connection, String name) throws SQLException;

    /**
     * The session that has the lock at this moment, or 0; asked on any other connection. Takes no lock, not for a moment:
     * looking makes no try fail (U31).
     */
    long holder(Connection connection, String name) throws SQLException;

    /**
     * Ends this session if it has the lock at this moment, as the same statement sees it; else nothing happens (U32). A
     * session id that was read earlier proves nothing: its connection may hold another lock by now.
     */
    void end(Connection connection, String name, long session) throws SQLException;

    /** From now on the server ends the session if it is silent for so long. */
    void limit(Connection connection, Duration silence) throws SQLException;

    /** After how much silence the server really ends a session with this limit. */
    default Duration limitOf(Duration silence) {
        return silence;
    }
}
