package io.holdfast.sql;

import io.holdfast.LockStatus;
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
import io.holdfast.spi.support.NameSpace;
import io.holdfast.spi.support.StoredLeases;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Leases as rows of a database server: reads a name's row, asks {@link RowRules} and writes the answer if nobody wrote
 * in between; or lets one statement do all of it where {@link LeaseRows} can.
 *
 * <p>Every statement is committed by itself. Verbs use any connection of the pool, renewals one of their own. With a
 * pool of its own the store is blocking: verbs do their I/O on the calling thread. With a user's {@code DataSource} they
 * run on the client's executor, because what that gives to the caller's thread may be the caller's own transaction.
 */
class ServerLeaseStore implements MarkingStore {
    /** Rows that many others write at the same time are given up after so many rounds; the engine asks again. */
    private static final int ROUNDS = 12;

    private static final int LARGEST_BATCH = 2000;
    private static final int SWEEP_EVERY = 256;

    private final StoreInfo info;
    final NameSpace names;
    private final LeaseRows rows;
    final SqlSessions sessions;
    private final SqlSessions renewals;
    private final MarkRows marks;
    private final long ioNanos;
    private final AtomicInteger grants =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(SWEEP_EVERY));
    private volatile String sweptTo = "";
    private volatile @Nullable StoreContext context;
    private volatile Ticker ticker = Ticker.system();

    ServerLeaseStore(StoreInfo info, SqlConfig config, LeaseRows rows, SqlSessions sessions, SqlSessions renewals) {
        this.info = info;
        this.names = config.names();
        this.marks = new MarkRows(config);
        this.rows = rows;
        this.sessions = sessions;
        this.renewals = renewals;
        this.ioNanos = info.ioTimeout().toNanos();
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
            AcquireResult result = sessions.call(budget, connection -> {
                AcquireResult answer = acquire(connection, name, claim, sent);
                if (answer instanceof Refused && !claim.pause().isZero()) {
                    note(connection, name, claim);
                }
                return answer;
            });
            if (result instanceof Granted) {
                countGrant(name);
            }
            return result instanceof Refused refused ? refusal(refused) : result;
        });
    }

    /** A claim is refused whether or not its note could be written. */
    private void note(Connection connection, String name, Claim claim) {
        try {
            rows.waiters.write(connection, name, claim);
        } catch (SQLException e) {
            System.getLogger(ServerLeaseStore.class.getName())
                    .log(System.Logger.Level.DEBUG, "no note in {0}: {1}", info.location(), e.getMessage());
        }
    }

    /** What a refused caller is told. */
    Refused refusal(Refused refused) {
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
            // Read again: to see the own holder id in the row (U12), or what came before us.
            read = rows.read(connection, name);
            if (written && read.row().state().of(claim.holder()) != null) {
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
                () -> sessions.call(budget, connection -> {
                    Duration standBack = rows.giveBack(connection, name, claim);
                    return standBack == null
                            ? released(connection, name, claim)
                            : new ReleaseResult.Released(standBack);
                }));
    }

    /** Shares and permits, and what is not held as it was asked for. */
    private ReleaseResult released(Connection connection, String name, Claim claim) throws SQLException {
        ReleaseResult result = change(connection, name, read -> RowRules.release(read.row(), claim, read.now()));
        return result instanceof ReleaseResult.Released
                ? new ReleaseResult.Released(rows.waiters.longest(connection, name, claim))
                : result;
    }

    @Override
    public final CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        String name = names.full(lockName);
        return stage(
                ioNanos,
                () -> sessions.call(
                        ioNanos,
                        connection -> change(connection, name, read -> RowRules.revoke(read.row(), how, read.now()))));
    }

    @Override
    public final CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        return stage(
                ioNanos,
                () -> sessions.call(ioNanos, connection -> {
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
            @Nullable RenewResult[] results = new RenewResult[claims.size()];
            for (int from = 0; from < claims.size(); from += LARGEST_BATCH) {
                int first = from;
                List<Claim> part = claims.subList(from, Math.min(claims.size(), from + LARGEST_BATCH));
                renewals.call(time, connection -> {
                    new Renewal(rows, names, part, sent).run(connection, results, first);
                    return part.size();
                });
            }
            return filled(results);
        });
    }

    private static List<RenewResult> filled(@Nullable RenewResult[] results) {
        List<RenewResult> all = new ArrayList<>(results.length);
        for (RenewResult result : results) {
            all.add(
                    result != null
                            ? result
                            : new RenewResult.Unanswered(new StoreUnavailableException(
                                    "another session keeps the row of this lock locked", false, null)));
        }
        return all;
    }

    @Override
    public final CompletionStage<MarkResult> admit(String resource, Sequencer sequencer) {
        String name = names.full(resource);
        return stage(ioNanos, () -> sessions.call(ioNanos, connection -> marks.admit(connection, name, sequencer)));
    }

    @Override
    public void close() {
        sessions.close();
        renewals.close();
    }

    /** Reads, decides and writes until nobody was in between. */
    private interface Rule<T> {
        RowChange<T> decide(RowRead read);
    }

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
                        "the row of lock '" + names.plain(name) + "' is written by others all the time", false, null);
            }
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(100_000, 1_000_000) * Math.min(round, 10));
        }
    }

    /** The grant is committed by now: whatever becomes of the sweep, it stands. */
    private void countGrant(String name) {
        StoreContext given = context;
        if (grants.incrementAndGet() % SWEEP_EVERY != 0 || given == null) {
            return;
        }
        try {
            given.executor().execute(() -> sweep(sweptTo.isEmpty() ? name : sweptTo));
        } catch (RejectedExecutionException closing) {
            // The next client sweeps.
            return;
        }
    }

    private void sweep(String after) {
        try {
            sweptTo = sessions.call(ioNanos, connection -> rows.sweep(connection, after, 2 * SWEEP_EVERY));
        } catch (RuntimeException e) {
            System.getLogger(ServerLeaseStore.class.getName())
                    .log(System.Logger.Level.DEBUG, "a sweep of {0} is put off: {1}", info.location(), e.getMessage());
        }
    }

    private long budget(Claim claim) {
        return Math.min(ioNanos, claim.ttl().toNanos() / 3);
    }

    final <T> CompletionStage<T> stage(long budget, Supplier<T> verb) {
        StoreContext given = context;
        if (info.blocking() || given == null) {
            try {
                return CompletableFuture.completedFuture(verb.get());
            } catch (Throwable e) { // an outcome as well (L13)
                return CompletableFuture.failedFuture(e);
            }
        }
        CompletableFuture<T> stage = new CompletableFuture<>();
        try {
            given.executor().execute(() -> {
                try {
                    stage.complete(verb.get());
                } catch (Throwable e) { // an outcome as well (L13)
                    stage.completeExceptionally(e);
                }
            });
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

    /** One batch of renewals. */
    private record Renewal(LeaseRows rows, NameSpace names, List<Claim> claims, long sent) {
        private static final int TRIES = 4;

        void run(Connection connection, @Nullable RenewResult[] results, int first) throws SQLException {
            List<Integer> pending = new ArrayList<>();
            for (int i = 0; i < claims.size(); i++) {
                pending.add(i);
            }
            for (int tries = 1; !pending.isEmpty() && tries <= TRIES; tries++) {
                if (tries > 1) {
                    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000, 8_000_000));
                }
                together(connection, pending, results, first);
                if (!pending.isEmpty()) {
                    oneByOne(connection, pending, results, first);
                }
            }
        }

        private void together(Connection connection, List<Integer> pending, @Nullable RenewResult[] results, int first)
                throws SQLException {
            List<Claim> exclusive = pending.stream()
                    .map(claims::get)
                    .filter(claim -> claim.mode() == Mode.EXCLUSIVE)
                    .toList();
            if (exclusive.isEmpty()) {
                return;
            }
            List<String> full = exclusive.stream()
                    .map(claim -> names.full(claim.lockName()))
                    .toList();
            Map<HolderId, Long> extended = rows.extend(connection, full, exclusive);
            pending.removeIf(i -> {
                Long ttl = extended.get(claims.get(i).holder());
                if (ttl != null) {
                    results[first + i] = new RenewResult.Renewed(new Term(sent, ttl));
                }
                return ttl != null;
            });
        }

        /** Those that are lost, that are no exclusive leases, or whose rows somebody else had locked. */
        private void oneByOne(Connection connection, List<Integer> pending, @Nullable RenewResult[] results, int first)
                throws SQLException {
            List<String> full = pending.stream()
                    .map(i -> names.full(claims.get(i).lockName()))
                    .toList();
            List<RowRead> reads = rows.read(connection, full.stream().distinct().toList());
            for (Integer i : List.copyOf(pending)) {
                String name = names.full(claims.get(i).lockName());
                for (int at = 0; at < reads.size(); at++) {
                    RowRead read = reads.get(at);
                    if (read.row().name().equals(name)) {
                        RowChange<RenewResult> change = RowRules.renew(read.row(), claims.get(i), read.now(), sent);
                        LockRow next = change.next();
                        if (next == null || written(connection, next, read)) {
                            results[first + i] = change.answer();
                            pending.remove(i);
                            reads = next == null ? reads : again(connection, reads, at, name);
                        }
                        break;
                    }
                }
            }
        }

        /** A row that stays locked is one claim's bad luck, not that of the whole batch (L7). */
        private boolean written(Connection connection, LockRow next, RowRead read) throws SQLException {
            try {
                return rows.write(connection, next, read, false);
            } catch (SQLException e) {
                if (SqlErrors.isLockWait(e)) {
                    return false;
                }
                throw e;
            }
        }

        /** Another claim of the batch may be about the same row. */
        private List<RowRead> again(Connection connection, List<RowRead> reads, int at, String name)
                throws SQLException {
            long same = claims.stream()
                    .filter(claim -> names.full(claim.lockName()).equals(name))
                    .count();
            if (same == 1) {
                return reads;
            }
            RowRead[] fresh = reads.toArray(RowRead[]::new);
            fresh[at] = rows.read(connection, name);
            return Arrays.asList(fresh);
        }
    }
}
