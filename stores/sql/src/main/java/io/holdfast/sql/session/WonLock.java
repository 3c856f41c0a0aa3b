package io.holdfast.sql.session;

import java.sql.Connection;

/**
 * A lock that the database gave to a connection which waited for it, before a claim has taken it over. It is no grant: no
 * claim was told of it, and no token was drawn.
 *
 * @param connection the connection that has the lock
 * @param connectionId the database's id of that connection
 */
record WonLock(Connection connection, long connectionId) {}
