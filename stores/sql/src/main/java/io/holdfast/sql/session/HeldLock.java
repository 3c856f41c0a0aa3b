package io.holdfast.sql.session;

import io.holdfast.LossReason;
import io.holdfast.Ticker;
import io.holdfast.spi.Granted;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Term;
import io.holdfast.sql.connection.ConnectionRuns;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock and the connection that holds it. One thread at a time uses the connection. Anything that fails on it ends the
 * lease, because it is unknown then whether the database still keeps the lock. Thread-safe.
 */
final class HeldLock {
    private final ReentrantLock use = new ReentrantLock();
    private final SessionLocks locks;
    private final LockConnections pool;
    private final Connection connection;
    private final String name;
    private final Granted granted;
    private volatile Term term;
    private boolean over;

    HeldLock(SessionLocks locks, LockConnections pool, Connection connection, String name, Granted granted) {
        this.locks = locks;
        this.pool = pool;
        this.connection = connection;
        this.name = name;
        this.granted = granted;
        this.term = granted.term();
    }

    String name() {
        return name;
    }

    /** The grant again, for a claim that came twice: for the rest of its term, and no longer than its TTL. */
    Granted grant(long sent, long ttlNanos) {
        return new Granted(granted.token(), granted.span(), new Term(sent, Math.min(left(sent), ttlNanos)));
    }

    /** How many nanoseconds of the term are left. */
    long left(long now) {
        return term.sentNanos() + term.nanos() - now;
    }

    /** Renews the lease by a statement on its connection. After a loss other than a revocation the lock is over. */
    RenewResult renew(Duration ttl, long budgetNanos, Ticker ticker) {
        use.lock();
        try {
            long sent = ticker.nanos();
            if (over || left(sent) < 0) {
                return gone();
            }
            ConnectionRuns.bound(connection, budgetNanos);
            if (locks.ping(connection, name)) {
                // The server has heard of this connection again: what is left of the lease is its limit now (U17).
                locks.limit(connection, Duration.ofNanos(Math.max(1_000_000, left(ticker.nanos()))));
                return new RenewResult.Lost(LossReason.REVOKED);
            }
            term = Term.of(sent, ttl);
            return new RenewResult.Renewed(term);
        } catch (SQLException e) {
            return gone();
        } finally {
            use.unlock();
        }
    }

    private RenewResult gone() {
        end();
        return new RenewResult.Lost(LossReason.GONE);
    }

    /** Frees the lock; false if it was over before, or its connection ended before this release or by it. */
    boolean release(long budgetNanos) {
        use.lock();
        try {
            if (over) {
                return false;
            }
            over = true;
            ConnectionRuns.bound(connection, budgetNanos);
            locks.free(connection);
        } catch (SQLException e) {
            pool.discard(connection);
            return false;
        } finally {
            use.unlock();
        }
        pool.putBack(connection);
        return true;
    }

    /** The lease is over: so is its connection. */
    void end() {
        use.lock();
        try {
            if (!over) {
                over = true;
                pool.discard(connection);
            }
        } finally {
            use.unlock();
        }
    }
}
