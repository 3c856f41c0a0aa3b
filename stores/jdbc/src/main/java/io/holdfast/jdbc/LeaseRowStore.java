package io.holdfast.jdbc;

import io.holdfast.Holder;
import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.Sequencer;
import io.holdfast.Ticker;
import io.holdfast.fence.Marks;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.MarkResult;
import io.holdfast.spi.MarkingStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreInfo;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * Leases as rows of a database. Generic over the {@link SqlDialect} and where connections come from; the rows and
 * their rules are in {@link RowVerbs}.
 *
 * <p>Blocking: every verb does its I/O on the calling thread and returns a stage that is complete. Writes of one store
 * take turns on one connection, inspections on another, which is opened when it is first needed. No verb waits for a
 * holder of a lock, only for its turn to write, and that at most for the I/O timeout or a third of the request's TTL.
 */
final class LeaseRowStore implements MarkingStore {
    /** The first connection also loads the driver, which on a busy machine takes longer than any request should. */
    private static final Duration OPENING = Duration.ofSeconds(10);

    private final StoreInfo info;
    private final NameSpace names;
    private final SessionGate writer;
    private final SessionGate reader;
    private final Runnable beforeUse;
    private final Sweeper sweeper;
    private final RecentReleases recent = new RecentReleases();
    private final long ioNanos;
    private volatile Ticker ticker = Ticker.system();

    /**
     * With its connections.
     *
     * @param beforeUse runs before each verb and throws if the database is not the one it was
     */
    LeaseRowStore(StoreInfo info, NameSpace names, SessionGate writer, SessionGate reader, Runnable beforeUse) {
        this.info = info;
        this.names = names;
        this.writer = writer;
        this.reader = reader;
        this.beforeUse = beforeUse;
        this.sweeper = Sweeper.startingAnywhere();
        this.ioNanos = info.ioTimeout().toNanos();
    }

    /** Connects, so that errors show when a store is opened and not with its first lock. */
    void connect() {
        writer.call(Math.max(ioNanos, OPENING.toNanos()), session -> session);
    }

    /** Connects for inspections only. */
    void connectToLook() {
        reader.call(Math.max(ioNanos, OPENING.toNanos()), session -> session);
    }

    /** For tests. */
    Sweeper sweeper() {
        return sweeper;
    }

    @Override
    public StoreInfo info() {
        return info;
    }

    @Override
    public void attach(StoreContext context) {
        ticker = context.ticker();
    }

    @Override
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        long sent = ticker.nanos();
        String name = names.full(claim.lockName());
        return write(budget(claim), session -> {
            if (recent.contains(claim.holder())) {
                return RowVerbs.NOBODYS;
            }
            AcquireResult result = switch (claim.mode()) {
                case EXCLUSIVE -> RowVerbs.acquireExclusive(session, name, claim, sent);
                case SHARED, PERMIT -> RowVerbs.acquireShare(session, name, claim, sent);
            };
            if (result instanceof Granted) {
                added(session);
            } else if (!claim.pause().isZero()) {
                note(session, name, claim);
            }
            return result;
        });
    }

    @Override
    public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        long sent = ticker.nanos();
        long budget = ioNanos;
        for (Claim claim : claims) {
            budget = Math.min(budget, budget(claim));
        }
        return write(
                budget,
                session -> session.writing(s -> {
                    long now = s.dialect().leaseNanos(s);
                    List<RenewResult> results = new ArrayList<>(claims.size());
                    for (Claim claim : claims) {
                        results.add(RowVerbs.renew(s, names.full(claim.lockName()), claim, now, sent));
                    }
                    return results;
                }));
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        String name = names.full(claim.lockName());
        return write(budget(claim), session -> {
            ReleaseResult result = RowVerbs.release(session, name, claim);
            if (result instanceof ReleaseResult.Released) {
                recent.add(claim.holder());
            } else {
                added(session); // its tombstone
            }
            return result;
        });
    }

    @Override
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        String name = names.full(lockName);
        return write(ioNanos, session -> session.writing(name, s -> RowVerbs.revoke(s, name, how)));
    }

    @Override
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        return stage(() -> {
            beforeUse.run();
            return reader.call(ioNanos, session -> session.reading(s -> seen(s, query)));
        });
    }

    private List<LockStatus> seen(SqlSession session, LockQuery query) throws SQLException {
        List<LockStatus> found = new ArrayList<>();
        if (query.prefix()) {
            for (String name : list(session, query)) {
                found.add(status(session, name));
            }
            return found;
        }
        LockStatus status = status(session, names.full(query.text()));
        if (status.lastToken() != 0) {
            found.add(status);
        }
        return found;
    }

    @Override
    public CompletionStage<MarkResult> admit(String resource, Sequencer sequencer) {
        String full = names.full(resource);
        return write(ioNanos, session -> {
            session.dialect().durable(session, true);
            try {
                return session.writing(full, s -> mark(s, full, sequencer));
            } finally {
                session.dialect().durable(session, false);
            }
        });
    }

    @Override
    public void close() {
        writer.close();
        reader.close();
    }

    private MarkResult mark(SqlSession session, String resource, Sequencer sequencer) throws SQLException {
        Marks marks = Marks.NONE;
        PreparedStatement read = session.statement(LeaseStatement.READ_MARKS);
        read.setString(1, resource);
        try (ResultSet row = read.executeQuery()) {
            if (row.next()) {
                String lockName = row.getString(1);
                if (!lockName.equals(sequencer.lockName())) {
                    return new MarkResult.OtherLock(lockName);
                }
                marks = new Marks(row.getLong(2), row.getLong(3));
            }
        }
        if (!marks.admits(sequencer.mode(), sequencer.token())) {
            return new MarkResult.Stale(marks.against(sequencer.mode()));
        }
        Marks after = marks.with(sequencer.mode(), sequencer.token());
        PreparedStatement write = session.statement(LeaseStatement.WRITE_MARKS);
        write.setString(1, resource);
        write.setString(2, sequencer.lockName());
        write.setLong(3, after.any());
        write.setLong(4, after.exclusive());
        write.executeUpdate();
        return new MarkResult.Admitted();
    }

    private List<String> list(SqlSession session, LockQuery query) throws SQLException {
        String from = names.full(query.text());
        PreparedStatement statement = session.statement(LeaseStatement.LIST_NAMES);
        statement.setString(1, from);
        statement.setString(2, NameSpace.after(from));
        statement.setLong(3, session.dialect().leaseNanos(session));
        statement.setString(4, names.foreign());
        statement.setInt(5, query.limit());
        List<String> found = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                found.add(row.getString(1));
            }
        }
        return found;
    }

    private LockStatus status(SqlSession session, String name) throws SQLException {
        NameState state = NameState.read(session, name);
        long now = session.dialect().leaseNanos(session);
        long last = state.known() ? state.last() : bucketLast(session, name);
        List<Holder> holders = new ArrayList<>();
        long delayed = 0;
        boolean revoked = false;
        for (LeaseRow row : state.rows()) {
            if (row.runs(now)) {
                holders.add(row.shown(now));
                revoked |= row.revoked();
            } else if (row.closes(now)) {
                delayed = Math.max(delayed, row.closed() - now);
            }
        }
        long lead = last - session.dialect().wallMicros(session);
        return new LockStatus(
                names.plain(name),
                holders,
                0,
                Duration.ofNanos(delayed),
                revoked,
                last,
                Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(Math.max(0, lead))));
    }

    private static long bucketLast(SqlSession session, String name) throws SQLException {
        PreparedStatement statement = session.statement(LeaseStatement.READ_BUCKET);
        statement.setInt(1, NameSpace.bucket(name));
        try (ResultSet row = statement.executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    /** The grant is committed by now: whatever becomes of the sweep, it stands. */
    private void added(SqlSession session) {
        try {
            sweeper.added(session);
        } catch (SQLException e) {
            System.getLogger(LeaseRowStore.class.getName())
                    .log(System.Logger.Level.DEBUG, "a sweep of {0} is put off: {1}", info.location(), e.getMessage());
        }
    }

    /** A claim is refused whether or not its note could be written. */
    private void note(SqlSession session, String name, Claim claim) {
        try {
            RowVerbs.note(session, name, claim);
        } catch (SQLException e) {
            System.getLogger(LeaseRowStore.class.getName())
                    .log(System.Logger.Level.DEBUG, "no note in {0}: {1}", info.location(), e.getMessage());
        }
    }

    private long budget(Claim claim) {
        return Math.min(ioNanos, claim.ttl().toNanos() / 3);
    }

    private <T> CompletionStage<T> write(long budget, SqlSession.Work<T> work) {
        return stage(() -> {
            beforeUse.run();
            return writer.call(budget, work);
        });
    }

    private static <T> CompletionStage<T> stage(java.util.function.Supplier<T> verb) {
        try {
            return CompletableFuture.completedFuture(verb.get());
        } catch (Throwable e) { // an outcome as well (L13)
            return CompletableFuture.failedFuture(e);
        }
    }
}
