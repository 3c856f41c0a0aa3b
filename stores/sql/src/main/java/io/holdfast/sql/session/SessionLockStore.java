package io.holdfast.sql.session;

import io.holdfast.Holder;
import io.holdfast.LockStatus;
import io.holdfast.LossReason;
import io.holdfast.Mode;
import io.holdfast.Revocation;
import io.holdfast.Sequencer;
import io.holdfast.StoreUnavailableException;
import io.holdfast.Ticker;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.MarkResult;
import io.holdfast.spi.MarkingStore;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.Term;
import io.holdfast.spi.WatchableStore;
import io.holdfast.spi.support.NameSpace;
import io.holdfast.spi.support.StoredLeases;
import io.holdfast.spi.support.Tombstones;
import io.holdfast.sql.config.SqlConfig;
import io.holdfast.sql.connection.ConnectionRuns;
import io.holdfast.sql.connection.Connections;
import io.holdfast.sql.connection.SqlErrors;
import io.holdfast.sql.table.MarkRows;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Session locks: the database keeps a lock for a connection and frees it itself when the connection ends.
 *
 * <p>A lease here is a connection (U22). The server ends a connection that is silent for the TTL. Every renewal is a
 * statement on it. The holder believes in its lease until the sending of the last answered renewal plus TTL minus drift,
 * so for less time than the server does. Anything that fails on the connection of a lease ends the lease.
 *
 * <p>What other clients see of a holder stands in {@link TokenRows} and is for people. Repeated claims and tombstones are
 * known to this object alone, because no other object sends this client's claims, and a request that is late on its
 * connection dies with it. Closing the store closes its connections, and with them its grants end: unlike leases in rows
 * they cannot outlive it.
 */
public final class SessionLockStore implements WatchableStore, MarkingStore {
    /** A claim in the database's queue is woken when it has the lock; this is for the case that it is not. */
    private static final Duration WHILE_QUEUED = Duration.ofSeconds(5);

    private static final int MOST_KNOWN_NAMES = 10_000;

    private final StoreInfo info;
    private final NameSpace names;
    private final SessionLocks locks;
    private final TokenRows tokens;
    private final LockConnections pool;
    private final Connections connections;
    private final DatabaseQueues queues;
    private final MarkRows marks;
    private final Map<HolderId, HeldLock> held = new ConcurrentHashMap<>();
    private final Tombstones tombstones = new Tombstones(Ticker.system());
    private final Set<String> namesWithRow = ConcurrentHashMap.newKeySet();
    private final long ioNanos;
    private volatile Ticker ticker = Ticker.system();

    /**
     * Over a database.
     *
     * @param pool the connections that hold locks
     * @param connections for all other statements
     */
    public SessionLockStore(
            StoreInfo info, SqlConfig config, SessionLocks locks, LockConnections pool, Connections connections) {
        this.info = info;
        this.names = config.names();
        this.locks = locks;
        this.tokens = locks.tokens();
        this.pool = pool;
        this.connections = connections;
        this.queues = new DatabaseQueues(locks, pool, config);
        this.marks = new MarkRows(config);
        this.ioNanos = info.ioTimeout().toNanos();
    }

    @Override
    public StoreInfo info() {
        return info;
    }

    @Override
    public void attach(StoreContext context) {
        ticker = context.ticker();
        queues.attach(context);
    }

    /** Waits in the database's own queue where there is a place for it: see {@link DatabaseQueues}. */
    @Override
    public Watch watch(String lockName, Runnable wake) {
        return queues.watch(names.full(lockName), wake);
    }

    @Override
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        long sent = ticker.nanos();
        return stage(() -> {
            if (claim.mode() != Mode.EXCLUSIVE) {
                throw new IllegalArgumentException(
                        "a lock that a connection holds (" + info.kind() + ") is exclusive; use lease rows for more");
            }
            if (tombstones.contains(claim.holder())) {
                return StoredLeases.NOT_AGAIN;
            }
            HeldLock own = own(claim);
            if (own == null) {
                return acquire(claim, names.full(claim.lockName()), sent);
            }
            return own.left(sent) > 0 ? own.grant(sent, claim.ttl().toNanos()) : StoredLeases.NOT_AGAIN;
        });
    }

    private AcquireResult acquire(Claim claim, String name, long sent) {
        long budget = budget(claim);
        if (!namesWithRow.contains(name)) {
            ensureRow(name);
        }
        if (!claim.lockDelay().isZero()) {
            return withDelay(name);
        }
        WonLock won = queues.take(name, budget);
        if (won == null && queues.isQueued(name)) {
            return refusal(name); // another connection has it, and this claim will be woken
        }
        Connection connection = won == null ? pool.take(budget) : won.connection();
        boolean kept = false;
        boolean healthy = false;
        try {
            ConnectionRuns.bound(connection, budget);
            DrawnTokens drawn = won == null
                    ? taken(connection, name, claim, budget).orElse(null)
                    : locks.adopt(connection, name, won.connectionId(), claim);
            if (drawn != null) {
                Granted granted = new Granted(drawn.first(), drawn.span(), Term.of(sent, claim.ttl()));
                held.put(claim.holder(), new HeldLock(locks, pool, connection, name, granted));
                kept = true;
                return granted;
            }
            Refused refused = refusal(name);
            // Without a row it is unknown whether this connection has the lock.
            healthy = namesWithRow.contains(name);
            return refused;
        } catch (SQLException e) {
            throw SqlErrors.whileRunning(e, info.location());
        } finally {
            if (!kept) {
                if (healthy) {
                    pool.putBack(connection);
                } else {
                    pool.discard(connection);
                }
            }
        }
    }

    /** A deadlock victim or a serialization failure did nothing and is repeated, on a connection that holds nothing. */
    private Optional<DrawnTokens> taken(Connection connection, String name, Claim claim, long budget)
            throws SQLException {
        return ConnectionRuns.run(connection, System.nanoTime() + budget, free -> {
            try {
                return Optional.ofNullable(locks.take(free, name, claim));
            } catch (SQLException e) {
                if (SqlErrors.isRetry(e)) {
                    locks.free(free);
                }
                throw e;
            }
        });
    }

    /** The database frees the lock the moment its connection ends: nothing keeps it closed after that (U22). */
    private AcquireResult withDelay(String name) {
        boolean taken = connections.call(ioNanos, connection -> locks.holder(connection, name) != 0);
        if (taken) {
            return refusal(name);
        }
        throw new IllegalArgumentException(
                "a lock that a connection holds (" + info.kind() + ") has no lock-delay; use lease rows for that");
    }

    private @Nullable HeldLock own(Claim claim) {
        HeldLock own = held.get(claim.holder());
        return own != null && own.name().equals(names.full(claim.lockName())) ? own : null;
    }

    private void ensureRow(String name) {
        connections.call(ioNanos, connection -> {
            tokens.ensure(connection, name);
            return true;
        });
        if (namesWithRow.size() > MOST_KNOWN_NAMES) {
            namesWithRow.clear();
        }
        namesWithRow.add(name);
    }

    /** Names the holder in the row only if its connection has the lock: it may have left, and another one be next (L14). */
    private Refused refusal(String name) {
        Seen seen = connections.call(ioNanos, connection -> look(connection, name));
        TokenRow row = seen.row();
        if (row == null) {
            namesWithRow.remove(name); // the table lost it
            return StoredLeases.NOT_AGAIN;
        }
        Duration retryAfter = queues.refused(name) ? WHILE_QUEUED : null;
        return seen.holder() == null
                ? new Refused(null, null, false, retryAfter)
                : new Refused(seen.holder(), row.ttl(), false, retryAfter);
    }

    /**
     * A name as it was seen, without locking anything (U31).
     *
     * @param row its row, if it has one
     * @param connectionId the connection that has the lock; 0 if none does
     */
    private record Seen(@Nullable TokenRow row, long connectionId) {
        /** The holder in the row, if the lock is its connection's. */
        @Nullable
        Holder holder() {
            return row != null && row.isHeldBy(connectionId) ? row.shown() : null;
        }
    }

    private Seen look(Connection connection, String name) throws SQLException {
        TokenRow row = tokens.read(connection, name);
        return new Seen(row, row == null ? 0 : locks.holder(connection, name));
    }

    @Override
    public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        return stage(() -> {
            List<RenewResult> results = new ArrayList<>(claims.size());
            for (Claim claim : claims) {
                results.add(ConnectionRuns.uninterrupted(() -> renewed(claim)));
            }
            return results;
        });
    }

    private RenewResult renewed(Claim claim) {
        HeldLock own = own(claim);
        if (own == null) {
            return new RenewResult.Lost(LossReason.GONE);
        }
        RenewResult result = own.renew(claim.ttl(), budget(claim), ticker);
        if (result instanceof RenewResult.Lost lost && lost.reason() == LossReason.GONE) {
            held.remove(claim.holder());
            tombstones.add(claim.holder());
        }
        return result;
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        return stage(() -> {
            tombstones.add(claim.holder());
            HeldLock own = own(claim);
            if (own != null
                    && held.remove(claim.holder(), own)
                    && ConnectionRuns.uninterrupted(() -> own.release(budget(claim)))) {
                return ReleaseResult.Released.INSTANCE;
            }
            String name = names.full(claim.lockName());
            return connections.call(
                    ioNanos,
                    connection ->
                            new ReleaseResult.NotHeld(look(connection, name).holder()));
        });
    }

    @Override
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        String name = names.full(lockName);
        return stage(() -> connections.call(ioNanos, connection -> {
            Seen seen = look(connection, name);
            TokenRow row = seen.row();
            if (row == null || seen.holder() == null) {
                return new RevokeResult.NotHeld();
            }
            tokens.revoke(connection, row);
            if (how != Revocation.NOW) {
                return new RevokeResult.Revoked(locks.limitOf(row.ttl()));
            }
            locks.end(connection, name, seen.connectionId());
            awaitEnd(connection, name, seen.connectionId());
            return new RevokeResult.Revoked(Duration.ZERO);
        }));
    }

    private void awaitEnd(Connection connection, String name, long connectionId) throws SQLException {
        long end = System.nanoTime() + ioNanos;
        while (locks.holder(connection, name) == connectionId) {
            if (System.nanoTime() - end > 0) {
                throw new StoreUnavailableException(
                        "the connection that holds lock '" + names.plain(name) + "' was told to end and still runs",
                        true,
                        null);
            }
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }

    @Override
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        return stage(() -> connections.call(ioNanos, connection -> {
            List<LockStatus> found = new ArrayList<>();
            if (query.prefix()) {
                for (TokenRow row : tokens.list(connection, names, query)) {
                    long holding = found.size() < query.limit() ? locks.holder(connection, row.name()) : 0;
                    if (row.isHeldBy(holding)) {
                        found.add(row.status(names.plain(row.name()), holding));
                    }
                }
                return found;
            }
            String name = names.full(query.text());
            TokenRow row = tokens.read(connection, name);
            if (row != null && row.last() != 0) {
                found.add(row.status(query.text(), locks.holder(connection, name)));
            }
            return found;
        }));
    }

    @Override
    public CompletionStage<MarkResult> admit(String resource, Sequencer sequencer) {
        String name = names.full(resource);
        return stage(() -> connections.call(ioNanos, connection -> marks.admit(connection, name, sequencer)));
    }

    @Override
    public void close() {
        queues.close();
        held.forEach((holder, own) -> {
            held.remove(holder);
            tombstones.add(holder);
            own.end();
        });
        pool.close();
        connections.close();
    }

    private long budget(Claim claim) {
        return Math.min(ioNanos, claim.ttl().toNanos() / 3);
    }

    private static <T> CompletionStage<T> stage(Supplier<? extends @Nullable T> verb) {
        try {
            return CompletableFuture.completedFuture(verb.get());
        } catch (Throwable e) { // an outcome as well (L13)
            return CompletableFuture.failedFuture(e);
        }
    }
}
