package io.holdfast.sql.rows;

import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.Sequencer;
import io.holdfast.StoreUnavailableException;
import io.holdfast.Ticker;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.MarkResult;
import io.holdfast.spi.MarkingStore;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.support.NameSpace;
import io.holdfast.spi.support.StoredLeases;
import io.holdfast.sql.config.SqlConfig;
import io.holdfast.sql.connection.ConnectionSource;
import io.holdfast.sql.connection.Connections;
import io.holdfast.sql.table.MarkRows;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Leases as rows of a database server. Reads a name's row, asks {@link RowRules} and writes the answer if no other
 * connection wrote in between; or lets one statement do all of it where {@link LeaseRows} can.
 *
 * <p>Every statement is committed by itself. Verbs use any connection of the pool, renewals one of their own. With a
 * pool of its own the store is blocking: verbs do their I/O on the calling thread. With an application's {@code
 * DataSource} they run on the client's executor, because the connection that it gives to the caller's thread may be that
 * of the caller's transaction.
 */
public class LeaseRowStore implements MarkingStore {
    /** Rows that many connections write at the same time are given up after so many rounds; the engine asks again. */
    private static final int ROUNDS = 12;

    private static final int LARGEST_BATCH = 2000;

    /**
     * What a store is made of.
     *
     * @param info what it tells of itself; not blocking if its connections are the application's
     * @param config its options
     * @param connections for all verbs but renewals
     * @param renewals for renewals
     * @param source opens more connections
     */
    public record Parts(
            StoreInfo info, SqlConfig config, Connections connections, Connections renewals, ConnectionSource source) {}

    protected final NameSpace names;
    protected final Connections connections;
    private final StoreInfo info;
    private final LeaseRows rows;
    private final Connections renewals;
    private final MarkRows marks;
    private final RowSweeper sweeper;
    private final long ioNanos;
    private volatile @Nullable StoreContext context;
    private volatile Ticker ticker = Ticker.system();

    /** Of these parts and rows. */
    public LeaseRowStore(Parts parts, LeaseRows rows) {
        this.info = parts.info();
        this.names = parts.config().names();
        this.marks = new MarkRows(parts.config());
        this.rows = rows;
        this.connections = parts.connections();
        this.renewals = parts.renewals();
        this.ioNanos = info.ioTimeout().toNanos();
        this.sweeper = new RowSweeper(rows, connections, info.location(), ioNanos);
    }

    @Override
    public final StoreInfo info() {
        return info;
    }

    @Override
    public final void attach(StoreContext given) {
        context = given;
        ticker = given.ticker();
    }

    @Override
    public final CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        long sent = ticker.nanos();
        String name = names.full(claim.lockName());
        long budget = budget(claim);
        return stage(budget, () -> {
            AcquireResult result = connections.call(budget, connection -> {
                AcquireResult answer = acquire(connection, name, claim, sent);
                if (answer instanceof Refused && !claim.pause().isZero()) {
                    note(connection, name, claim);
                }
                return answer;
            });
            StoreContext given = context;
            if (result instanceof Granted && given != null) {
                sweeper.granted(name, given);
            }
            return result instanceof Refused refused ? refusal(refused) : result;
        });
    }

    /** A claim is refused whether or not its note could be written. */
    private void note(Connection connection, String name, Claim claim) {
        try {
            rows.notes.write(connection, name, claim);
        } catch (SQLException e) {
            System.getLogger(LeaseRowStore.class.getName())
                    .log(System.Logger.Level.DEBUG, "no note in {0}: {1}", info.location(), e.getMessage());
        }
    }

    /** What a refused caller is told. */
    protected Refused refusal(Refused refused) {
        return refused;
    }

    private AcquireResult acquire(Connection connection, String name, Claim claim, long sent) throws SQLException {
        LeaseRows.Attempt attempt = rows.attempt(connection, name, claim, sent);
        if (attempt.answer() != null) {
            return attempt.answer();
        }
        RowRead read = attempt.read();
        for (int round = 0; round < ROUNDS; round++) {
            if (read == null) {
                read = rows.read(connection, name);
            }
            RowChange<AcquireResult> change = RowRules.acquire(read.row(), claim, read.now(), sent);
            LockRow next = change.next();
            if (next == null) {
                return change.answer();
            }
            boolean written = rows.write(connection, next, read, false);
            if (written && rows.readsBack()) {
                return change.answer();
            }
            // Read again: to see the claim's own holder id in the row (U12), or what came before it.
            read = rows.read(connection, name);
            if (written && read.row().leases().of(claim.holder()) != null) {
                return change.answer();
            }
        }
        return StoredLeases.NOT_AGAIN;
    }

    @Override
    public final CompletionStage<ReleaseResult> release(Claim claim) {
        String name = names.full(claim.lockName());
        long budget = budget(claim);
        return stage(
                budget,
                () -> connections.call(budget, connection -> {
                    Duration standBack = rows.release(connection, name, claim);
                    return standBack == null
                            ? released(connection, name, claim)
                            : new ReleaseResult.Released(standBack);
                }));
    }

    /** Shares and permits, and what is not held as it was asked for. */
    private ReleaseResult released(Connection connection, String name, Claim claim) throws SQLException {
        ReleaseResult result = change(connection, name, read -> RowRules.release(read.row(), claim, read.now()));
        return result instanceof ReleaseResult.Released
                ? new ReleaseResult.Released(rows.notes.longest(connection, name, claim))
                : result;
    }

    @Override
    public final CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        String name = names.full(lockName);
        return stage(
                ioNanos,
                () -> connections.call(
                        ioNanos,
                        connection -> change(connection, name, read -> RowRules.revoke(read.row(), how, read.now()))));
    }

    @Override
    public final CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        return stage(
                ioNanos,
                () -> connections.call(ioNanos, connection -> {
                    List<LockStatus> found = new ArrayList<>();
                    List<RowRead> seen = query.prefix()
                            ? rows.list(connection, names, query)
                            : List.of(rows.read(connection, names.full(query.text())));
                    for (RowRead read : seen) {
                        LockStatus status = RowRules.status(
                                read.row(), names.plain(read.row().name()), read.now());
                        if (query.prefix() || status.lastToken() != 0) {
                            found.add(status);
                        }
                    }
                    return found;
                }));
    }

    @Override
    public final CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        long sent = ticker.nanos();
        long budget = ioNanos;
        for (Claim claim : claims) {
            budget = Math.min(budget, budget(claim));
        }
        long time = budget;
        return stage(time, () -> {
            List<RenewResult> results = new ArrayList<>(claims.size());
            for (int from = 0; from < claims.size(); from += LARGEST_BATCH) {
                List<Claim> part = claims.subList(from, Math.min(claims.size(), from + LARGEST_BATCH));
                results.addAll(
                        renewals.call(time, connection -> new RenewalBatch(rows, names, part, sent).run(connection)));
            }
            return results;
        });
    }

    @Override
    public final CompletionStage<MarkResult> admit(String resource, Sequencer sequencer) {
        String name = names.full(resource);
        return stage(ioNanos, () -> connections.call(ioNanos, connection -> marks.admit(connection, name, sequencer)));
    }

    @Override
    public void close() {
        connections.close();
        renewals.close();
    }

    /** What a verb makes of a row. */
    private interface Rule<T> {
        RowChange<T> decide(RowRead read);
    }

    /** Reads, decides and writes, until no other connection wrote in between. */
    private <T> T change(Connection connection, String name, Rule<T> rule) throws SQLException {
        for (int round = 1; ; round++) {
            RowRead read = rows.read(connection, name);
            RowChange<T> change = rule.decide(read);
            LockRow next = change.next();
            if (next == null || rows.write(connection, next, read, change.opens())) {
                return change.answer();
            }
            if (round == ROUNDS * 4) {
                throw new StoreUnavailableException(
                        "the row of lock '" + names.plain(name) + "' is written by other connections all the time",
                        false,
                        null);
            }
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(100_000, 1_000_000) * Math.min(round, 10));
        }
    }

    private long budget(Claim claim) {
        return Math.min(ioNanos, claim.ttl().toNanos() / 3);
    }

    private <T> CompletionStage<T> stage(long budget, Supplier<T> verb) {
        StoreContext given = context;
        CompletableFuture<T> stage = new CompletableFuture<>();
        if (info.blocking() || given == null) {
            complete(stage, verb);
            return stage;
        }
        try {
            given.executor().execute(() -> complete(stage, verb));
        } catch (RejectedExecutionException e) {
            stage.completeExceptionally(new StoreUnavailableException("the client is closed", false, e));
        }
        var timer = given.scheduler()
                .schedule(
                        () -> stage.completeExceptionally(new StoreUnavailableException(
                                "the database " + info.location()
                                        + " did not answer, or the pool gave no connection, within "
                                        + Duration.ofNanos(budget).toMillis() + " ms",
                                true,
                                null)),
                        budget);
        stage.whenComplete((result, failure) -> timer.cancel());
        return stage;
    }

    private static <T> void complete(CompletableFuture<T> stage, Supplier<T> verb) {
        try {
            stage.complete(verb.get());
        } catch (Throwable e) { // an outcome as well (L13)
            stage.completeExceptionally(e);
        }
    }
}
