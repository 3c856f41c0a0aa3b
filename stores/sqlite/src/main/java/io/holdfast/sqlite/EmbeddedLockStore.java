package io.holdfast.sqlite;

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
import io.holdfast.spi.support.NameSpace;
import io.holdfast.spi.support.StoredLeases;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The embedded store: leases as rows of a SQLite file. The rows and their rules are in {@link LeaseVerbs}.
 *
 * <p>Blocking: every verb does its I/O on the calling thread and returns a stage that is complete. Writes of one store
 * take turns on one connection, inspections on another, which is opened when it is first needed. No verb waits for a
 * holder of a lock. A verb waits only for its turn to write, and at most for the I/O timeout or a third of the claim's
 * TTL.
 */
final class EmbeddedLockStore implements MarkingStore {
    /** The first connection also loads the driver, which on a busy machine takes longer than any request should. */
    private static final Duration OPENING = Duration.ofSeconds(10);

    private final StoreInfo info;
    private final NameSpace names;
    private final ConnectionGate writer;
    private final ConnectionGate reader;
    private final Runnable beforeUse;
    private final Sweeper sweeper;
    private final RecentTombstones recent = new RecentTombstones();
    private final long ioNanos;
    private volatile Ticker ticker = Ticker.system();

    /**
     * With its connections.
     *
     * @param beforeUse runs before each verb and throws if the database is not the one it was
     */
    EmbeddedLockStore(
            StoreInfo info, NameSpace names, ConnectionGate writer, ConnectionGate reader, Runnable beforeUse) {
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
        writer.call(Math.max(ioNanos, OPENING.toNanos()), connection -> connection);
    }

    /** Connects for inspections only. */
    void connectToLook() {
        reader.call(Math.max(ioNanos, OPENING.toNanos()), connection -> connection);
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
        return write(budget(claim), connection -> {
            if (recent.contains(claim.holder())) {
                return StoredLeases.NOT_AGAIN;
            }
            AcquireResult result = switch (claim.mode()) {
                case EXCLUSIVE -> LeaseVerbs.acquireExclusive(connection, name, claim, sent);
                case SHARED, PERMIT -> LeaseVerbs.acquireShare(connection, name, claim, sent);
            };
            if (result instanceof Granted) {
                added(connection);
            } else if (!claim.pause().isZero()) {
                note(connection, name, claim);
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
                connection -> connection.writing(s -> {
                    long now = s.leaseNanos();
                    List<RenewResult> results = new ArrayList<>(claims.size());
                    for (Claim claim : claims) {
                        results.add(LeaseVerbs.renew(s, names.full(claim.lockName()), claim, now, sent));
                    }
                    return results;
                }));
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        String name = names.full(claim.lockName());
        return write(budget(claim), connection -> {
            ReleaseResult result = LeaseVerbs.release(connection, name, claim);
            if (result instanceof ReleaseResult.Released) {
                recent.add(claim.holder());
            } else {
                added(connection); // its tombstone
            }
            return result;
        });
    }

    @Override
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        String name = names.full(lockName);
        return write(ioNanos, connection -> connection.writing(s -> LeaseVerbs.revoke(s, name, how)));
    }

    @Override
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        return stage(() -> {
            beforeUse.run();
            return reader.call(ioNanos, connection -> connection.reading(s -> seen(s, query)));
        });
    }

    private List<LockStatus> seen(SqliteConnection connection, LockQuery query) throws SQLException {
        List<LockStatus> found = new ArrayList<>();
        if (query.prefix()) {
            for (String name : list(connection, query)) {
                found.add(status(connection, name));
            }
            return found;
        }
        LockStatus status = status(connection, names.full(query.text()));
        if (status.lastToken() != 0) {
            found.add(status);
        }
        return found;
    }

    @Override
    public CompletionStage<MarkResult> admit(String resource, Sequencer sequencer) {
        String full = names.full(resource);
        return write(ioNanos, connection -> {
            connection.durable(true);
            try {
                return connection.writing(s -> mark(s, full, sequencer));
            } finally {
                connection.durable(false);
            }
        });
    }

    @Override
    public void close() {
        writer.close();
        reader.close();
    }

    private MarkResult mark(SqliteConnection connection, String resource, Sequencer sequencer) throws SQLException {
        Marks marks = Marks.NONE;
        PreparedStatement read = connection.statement(SqliteStatement.READ_MARKS);
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
        PreparedStatement write = connection.statement(SqliteStatement.WRITE_MARKS);
        write.setString(1, resource);
        write.setString(2, sequencer.lockName());
        write.setLong(3, after.any());
        write.setLong(4, after.exclusive());
        write.executeUpdate();
        return new MarkResult.Admitted();
    }

    private List<String> list(SqliteConnection connection, LockQuery query) throws SQLException {
        String from = names.full(query.text());
        PreparedStatement statement = connection.statement(SqliteStatement.LIST_NAMES);
        statement.setString(1, from);
        statement.setString(2, NameSpace.after(from));
        statement.setLong(3, connection.leaseNanos());
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

    private LockStatus status(SqliteConnection connection, String name) throws SQLException {
        StoredLeases leases = LeaseRows.read(connection, name);
        long last = leases.known() ? leases.last() : LeaseRows.bucketLast(connection, name);
        return leases.status(names.plain(name), last, connection.leaseNanos(), connection.wallMicros());
    }

    /** The grant is committed by now: it stands, whether or not the sweep succeeds. */
    private void added(SqliteConnection connection) {
        try {
            sweeper.added(connection);
        } catch (SQLException e) {
            System.getLogger(EmbeddedLockStore.class.getName())
                    .log(System.Logger.Level.DEBUG, "a sweep of {0} is put off: {1}", info.location(), e.getMessage());
        }
    }

    /** A claim is refused whether or not its note could be written. */
    private void note(SqliteConnection connection, String name, Claim claim) {
        try {
            LeaseVerbs.note(connection, name, claim);
        } catch (SQLException e) {
            System.getLogger(EmbeddedLockStore.class.getName())
                    .log(System.Logger.Level.DEBUG, "no note in {0}: {1}", info.location(), e.getMessage());
        }
    }

    private long budget(Claim claim) {
        return Math.min(ioNanos, claim.ttl().toNanos() / 3);
    }

    private <T> CompletionStage<T> write(long budget, SqliteConnection.Work<T> work) {
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
