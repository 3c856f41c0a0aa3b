package io.holdfast.jdbc;

import io.holdfast.spi.Claim;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A lock that the database keeps for a session and frees when that ends. One connection holds one lock. */
interface SessionLocks {
    /**
     * Tries to take the lock on this connection, without waiting, and draws its tokens inside it. From then on the
     * server ends the session if it is silent for the TTL (U22).
     *
     * @param others for what must be committed apart from the lock
     * @return null if somebody else has it
     */
    TokenRows.@Nullable Drawn take(Connection connection, String name, Claim claim, SqlSessions others)
            throws SQLException;

    /** Frees it and takes the limit off the session, so that the connection can be used for another. */
    void free(Connection connection) throws SQLException;

    /** Says something on the connection, so that the server hears it; whether the holder was revoked. */
    boolean ping(Connection connection, String name) throws SQLException;

    /** Whether some session holds it; asked on any other connection. */
    boolean held(Connection connection, String name) throws SQLException;

    /** Ends the session that holds it, if one does. */
    void end(Connection connection, String name) throws SQLException;
}
