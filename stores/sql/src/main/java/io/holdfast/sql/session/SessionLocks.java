package io.holdfast.sql.session;

import io.holdfast.spi.Claim;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Locks that the database keeps for a connection and frees when it ends. One connection holds one lock. */
public interface SessionLocks {
    /** How long a connection may be silent that has a lock which no claim has taken over. */
    Duration UNCLAIMED = Duration.ofSeconds(2);

    /** The tokens of these locks. */
    TokenRows tokens();

    /**
     * Tries to take the lock on this connection, without waiting, and draws its tokens while it has the lock. From then
     * on the server ends the connection if it is silent for the TTL (U22).
     *
     * @return null if another connection has it, or the name has no row of tokens any more
     */
    @Nullable
    DrawnTokens take(Connection connection, String name, Claim claim) throws SQLException;

    /**
     * Waits for the lock on this connection, in the database's own queue. From then on the server ends the connection if
     * it is silent for {@link #UNCLAIMED}, until {@link #adopt} or {@link #free}.
     *
     * @return the connection's id if it has the lock now; 0 if the slice of the wait was over
     */
    long await(Connection connection, String name, CancellableWait wait) throws SQLException;

    /** Makes a grant of a lock that this connection has since {@link #await}: draws its tokens, as {@link #take} does. */
    DrawnTokens adopt(Connection connection, String name, long connectionId, Claim claim) throws SQLException;

    /** Frees the lock and takes the limit off the connection, so that it can be used for another lock. */
    void free(Connection connection) throws SQLException;

    /** Sends a statement on the connection, so that the server hears of it; answers whether the holder was revoked. */
    boolean ping(Connection connection, String name) throws SQLException;

    /**
     * The id of the connection that has the lock at this moment, or 0; asked on any other connection. Takes no lock, not
     * for a moment: an inspection makes no try fail (U31).
     */
    long holder(Connection connection, String name) throws SQLException;

    /**
     * Ends a connection if it has the lock at this moment, as the same statement sees it; else nothing happens (U32). A
     * connection id that was read earlier proves nothing: that connection may hold another lock by now.
     */
    void end(Connection connection, String name, long connectionId) throws SQLException;

    /** From now on the server ends the connection if it is silent for so long. */
    void limit(Connection connection, Duration silence) throws SQLException;

    /** After how much silence the server really ends a connection with this limit. */
    default Duration limitOf(Duration silence) {
        return silence;
    }
}
