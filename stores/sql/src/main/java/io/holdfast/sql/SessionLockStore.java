package io.holdfast.sql;

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
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Locks that sessions of the database hold: it frees them itself when the connection ends.
 *
 * <p>A lease here is a connection (U22). The server ends a session that is silent for the TTL; every renewal says
 * something on it; the holder believes in its lease until the sending of the last answered renewal plus TTL minus drift,
 * so for less time than the server does. Anything that fails on the connection of a lease ends the lease, because
 * nobody knows whether the session still lives.
 *
 * <p>What others see of a holder stands in {@link TokenRows} and is for people; repeats and tombstones are known to this
 * object alone, because no other sends this client's claims, and a request that is late on its connection dies with it.
 * When the store is closed its connections are, and its grants end: unlike leases in rows they cannot outlive it.
 */
final class SessionLockStore implements WatchableStore, MarkingStore {
    /** Who stands in the database's queue is told; this is for the case that it is not. */
    private static final Duration IN_LINE = Duration.ofSeconds(5);

    private final StoreInfo info;
    private final NameSpace names;
    private final SessionLocks locks;
    private final TokenRows tokens;
    private final SessionPool pool;
    private final SqlSessions sessions;
    private final SessionLines lines;
    private final MarkRows marks;
    private final Map<HolderId, Held> held = new ConcurrentHashMap<>();
    private final BuriedHolders buried = new BuriedHolders(Ticker.system());
    private final Map<String, Boolean> known = new ConcurrentHashMap<>();
    private final long ioNanos;
    private volatile Ticker ticker = Ticker.system();

    /** A lock and the connection that holds it. */
    private static final class Held {
        final ReentrantLock turn = new ReentrantLock();
        final Connection connection;
        final String name;
        final TokenRows.Drawn drawn;
        volatile Term term;
        boolean over;

        Held(Connection connection, String name, TokenRows.Drawn drawn, Term term) {
            this.connection = connection;
            this.name = name;
            this.drawn = drawn;
            this.term = term;
        }
    }

    SessionLockStore(
            StoreInfo info,
            NameSpace names,
            SessionLocks locks,
            TokenRows tokens,
            SessionPool pool,
            SqlSessions sessions,
            SessionLines lines,
            MarkRows marks) {
        this.info = info;
        this.names = names;
        this.locks = locks;
        this.tokens = tokens;
        this.pool = pool;
        this.sessions = sessions;
        this.lines = lines;
        this.marks = marks;
        this.ioNanos = info.ioTimeout().toNanos();
    }

    @Override
    public StoreInfo info() {
        return info;
    }

    @Override
    public void attach(StoreContext context) {
        ticker = context.ticker();
        lines.attach(context);
    }

    /** Waits in the database's own queue where there is a place for it: see {@link SessionLines}. */
    @Override
    public Watch watch(String lockName, Runnable wake) {
        return lines.watch(names.full(lockName), wake);
    }

    @Override
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        long sent = ticker.nanos();
        return stage(() -> {
            if (claim.mode() != Mode.EXCLUSIVE) {
                throw new IllegalArgumentException(
                        "a lock that a session holds (" + info.kind() + ") is exclusive; use lease rows for more");
            }
            if (buried.contains(claim.holder())) {
                return StoredLeases.NOT_AGAIN;
            }
            Held own = own(claim);
            return own != null ? again(own, claim, sent) : acquire(claim, names.full(claim.lockName()), sent);
        });
    }

    /** The same claim came twice. */
    private AcquireResult again(Held own, Claim claim, long sent) {
        long left = own.term.sentNanos() + own.term.nanos() - sent;
        return left > 0
                ? new Granted(
                        own.drawn.token(),
                        own.drawn.span(),
                        new Term(sent, Math.min(left, claim.ttl().toNanos())))
                : StoredLeases.NOT_AGAIN;
    }

    private AcquireResult acquire(Claim claim, String name, long sent) {
        long budget = budget(claim);
        if (!known.containsKey(name)) {
            meet(name);
        }
        if (!claim.lockDelay().isZero()) {
            return withDelay(name);
        }
        SessionLines.InHand hand = lines.take(name, budget);
        if (hand == null && lines.standsFor(name)) {
            return refusal(name); // whoever comes before us has it, and our turn will be told
        }
        Connection connection = hand == null ? pool.take(budget) : hand.connection();
        boolean kept = false;
        boolean healthy = false;
        try {
            Turns.bound(connection, budget);
            TokenRows.Drawn drawn = hand == null
                    ? taken(connection, name, claim, budget).orElse(null)
                    : locks.adopt(connection, name, hand.session(), claim, sessions);
            if (drawn != null) {
                Term term = Term.of(sent, claim.ttl());
                held.put(claim.holder(), new Held(connection, name, drawn, term));
                kept = true;
                return new Granted(drawn.token(), drawn.span(), term);
            }
            Refused refused = refusal(name);
            // Of a name without a row nothing is known, not even whether this session has its lock.
            healthy = known.containsKey(name);
            return refused;
        } catch (SQLException e) {
            throw SqlErrors.whileRunning(e, info.location());
        } finally {
            if (!kept) {
                if (healthy) {
                    pool.giveBack(connection);
                } else {
                    pool.discard(connection);
                }
            }
        }
    }

    /** A deadlock victim or a serialization failure did nothing and is repeated, on a session that holds nothing. */
    private Optional<TokenRows.Drawn> taken(Connection connection, String name, Claim claim, long budget)
            throws SQLException {
        return Turns.run(connection, System.nanoTime() + budget, session -> {
            try {
                return Optional.ofNullable(locks.take(session, name, claim, sessions));
            } catch (SQLException e) {
                if (SqlErrors.isRetry(e)) {
                    locks.free(session);
                }
                throw e;
            }
        });
    }

    /** The database frees the lock the moment its session ends: there is nobody to keep it closed (U22). */
    private AcquireResult withDelay(String name) {
        boolean taken = sessions.call(ioNanos, connection -> locks.holder(connection, name) != 0);
        if (taken) {
            return refusal(name);
        }
        throw new IllegalArgumentException(
                "a lock that a session holds (" + info.kind() + ") has no lock-delay; use lease rows for that");
    }

    private @Nullable Held own(Claim claim) {
        Held own = held.get(claim.holder());
        return own != null && own.name.equals(names.full(claim.lockName())) ? own : null;
    }

    private void meet(String name) {
        sessions.call(ioNanos, connection -> {
            tokens.ensure(connection, name);
            return true;
        });
        if (known.size() > 10_000) {
            known.clear();
        }
        known.put(name, true);
    }

    /** Names the holder in the row only if its session has the lock: it may have left, and another one be in line (L14). */
    private Refused refusal(String name) {
        Seen seen = sessions.call(ioNanos, connection -> look(connection, name));
        TokenRows.TokenRow row = seen.row();
        if (row == null) {
            known.remove(name); // the table lost it
            return StoredLeases.NOT_AGAIN;
        }
        Duration retryAfter = lines.refused(name) ? IN_LINE : null;
        return seen.holder() == null
                ? new Refused(null, null, false, retryAfter)
                : new Refused(seen.holder(), row.ttl(), false, retryAfter);
    }

    /**
     * A name as it was seen, without locking anything (U31).
     *
     * @param row its row, if it has one
     * @param session the session that has the lock; 0 if none does
     */
    private record Seen(TokenRows.@Nullable TokenRow row, long session) {
        /** The holder in the row, if the lock is its session's. */
        @Nullable
        Holder holder() {
            return row != null && row.isHeldBy(session) ? row.shown() : null;
        }
    }

    private Seen look(Connection connection, String name) throws SQLException {
        TokenRows.TokenRow row = tokens.read(connection, name);
        return new Seen(row, row == null ? 0 : locks.holder(connection, name));
    }

    @Override
    public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        return stage(() -> {
            List<RenewResult> results = new ArrayList<>(claims.size());
            for (Claim claim : claims) {
                Held own = own(claim);
                results.add(
                        own == null
                                ? new RenewResult.Lost(LossReason.GONE)
                                : Turns.uninterrupted(() -> ping(own, claim)));
            }
            return results;
        });
    }

    private RenewResult ping(Held own, Claim claim) {
        own.turn.lock();
        try {
            long sent = ticker.nanos();
            if (own.over || sent - own.term.sentNanos() - own.term.nanos() > 0) {
                end(claim.holder(), own);
                return new RenewResult.Lost(LossReason.GONE);
            }
            Turns.bound(own.connection, budget(claim));
            if (locks.ping(own.connection, own.name)) {
                // The server has heard this session again: what is left of the lease is its limit now (U17).
                long left = own.term.sentNanos() + own.term.nanos() - ticker.nanos();
                locks.limit(own.connection, Duration.ofNanos(Math.max(1_000_000, left)));
                return new RenewResult.Lost(LossReason.REVOKED);
            }
            own.term = Term.of(sent, claim.ttl());
            return new RenewResult.Renewed(own.term);
        } catch (SQLException e) {
            end(claim.holder(), own);
            return new RenewResult.Lost(LossReason.GONE);
        } finally {
            own.turn.unlock();
        }
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        return stage(() -> {
            Held own = own(claim);
            if (own == null || !held.remove(claim.holder(), own)) {
                buried.add(claim.holder());
                return notHeld(names.full(claim.lockName()));
            }
            return Turns.uninterrupted(() -> free(own, claim));
        });
    }

    private ReleaseResult free(Held own, Claim claim) {
        own.turn.lock();
        boolean freed = false;
        try {
            buried.add(claim.holder());
            if (own.over) {
                return notHeld(own.name);
            }
            own.over = true;
            Turns.bound(own.connection, budget(claim));
            locks.free(own.connection);
            freed = true;
            pool.giveBack(own.connection);
            return ReleaseResult.Released.INSTANCE;
        } catch (SQLException e) {
            // The connection ended, and with it the lock: before this release, or by it.
            return notHeld(own.name);
        } finally {
            if (!freed && own.over) {
                pool.discard(own.connection);
            }
            own.turn.unlock();
        }
    }

    private ReleaseResult notHeld(String name) {
        return sessions.call(
                ioNanos,
                connection -> new ReleaseResult.NotHeld(look(connection, name).holder()));
    }

    /** The lease is over: so is its connection. */
    private void end(HolderId holder, Held own) {
        held.remove(holder);
        buried.add(holder);
        if (!own.over) {
            own.over = true;
            pool.discard(own.connection);
        }
    }

    @Override
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        String name = names.full(lockName);
        return stage(() -> sessions.call(ioNanos, connection -> {
            Seen seen = look(connection, name);
            TokenRows.TokenRow row = seen.row();
            if (row == null || seen.holder() == null) {
                return new RevokeResult.NotHeld();
            }
            tokens.revoke(connection, row);
            if (how != Revocation.NOW) {
                return new RevokeResult.Revoked(locks.limitOf(row.ttl()));
            }
            locks.end(connection, name, seen.session());
            long end = System.nanoTime() + ioNanos;
            while (locks.holder(connection, name) == seen.session()) {
                if (System.nanoTime() - end > 0) {
                    throw new StoreUnavailableException(
                            "the session that holds lock '" + lockName + "' was told to end and still runs",
                            true,
                            null);
                }
                LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
            }
            return new RevokeResult.Revoked(Duration.ZERO);
        }));
    }

    @Override
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        return stage(() -> sessions.call(ioNanos, connection -> {
            List<LockStatus> found = new ArrayList<>();
            if (query.prefix()) {
                for (TokenRows.TokenRow row : tokens.list(connection, names, query)) {
                    long session = found.size() < query.limit() ? locks.holder(connection, row.name()) : 0;
                    if (row.isHeldBy(session)) {
                        found.add(row.status(names.plain(row.name()), session));
                    }
                }
                return found;
            }
            String name = names.full(query.text());
            TokenRows.TokenRow row = tokens.read(connection, name);
            if (row != null && row.last() != 0) {
                found.add(row.status(query.text(), locks.holder(connection, name)));
            }
            return found;
        }));
    }

    @Override
    public CompletionStage<MarkResult> admit(String resource, Sequencer sequencer) {
        String name = names.full(resource);
        return stage(() -> sessions.call(ioNanos, connection -> marks.admit(connection, name, sequencer)));
    }

    @Override
    public void close() {
        lines.close();
        held.forEach((holder, own) -> {
            own.turn.lock();
            try {
                end(holder, own);
            } finally {
                own.turn.unlock();
            }
        });
        pool.close();
        sessions.close();
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
