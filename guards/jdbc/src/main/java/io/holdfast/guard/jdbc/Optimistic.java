package io.holdfast.guard.jdbc;

import io.holdfast.guard.jdbc.CellStatements.Seen;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * No lock at all: reads, computes, writes if the value was not changed meanwhile, and else begins again. For users that
 * change only one thing: it cannot be left locked, has no timeout, and a slow client delays no other.
 *
 * <p>Every round is a transaction of its own on a connection of its own, because at REPEATABLE READ a second read in
 * the same transaction would return what the first one did, for ever. It never joins a transaction of the caller: give
 * it the plain data source, not a proxy that hands out the connection of a running transaction. A serialization failure
 * or deadlock counts as a lost round ({@link Conflicts#isRetryable}); other errors of the database end the call. One
 * that came from the commit leaves open whether the change was made.
 *
 * <p>Before round <i>n</i> + 1 it sleeps for a random time below {@code first × 2^(n−1)}, at most {@code longest}, so
 * that clients that collided do not collide again. Blocking; immutable; thread-safe.
 */
public final class Optimistic {
    private static final int MOST_ROUNDS = 10_000;

    private final DataSource dataSource;
    private final int rounds;
    private final Backoff backoff;

    private Optimistic(DataSource dataSource, int rounds, Backoff backoff) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
        this.rounds = rounds;
        this.backoff = backoff;
    }

    /**
     * One round, in a transaction that the caller neither commits nor rolls back.
     *
     * @param <R> the type of the result
     */
    @FunctionalInterface
    public interface Round<R> {
        /** Reads, computes and writes; empty if the write found a change by another client. */
        Optional<R> run(Connection connection) throws SQLException;
    }

    /**
     * The result of the round that won.
     *
     * @param result what it returned
     * @param rounds which one it was, from 1 on
     * @param <R> the type of the result
     */
    public record Won<R>(R result, int rounds) {}

    /** Up to 20 rounds, with pauses from 2 ms to 200 ms. */
    public static Optimistic over(DataSource dataSource) {
        return new Optimistic(dataSource, 20, new Backoff(Duration.ofMillis(2), Duration.ofMillis(200)));
    }

    /** With another bound: 1 to 10,000 rounds. */
    public Optimistic rounds(int most) {
        if (most < 1 || most > MOST_ROUNDS) {
            throw new IllegalArgumentException(most + " rounds: give 1 to " + MOST_ROUNDS);
        }
        return new Optimistic(dataSource, most, backoff);
    }

    /** With other pauses: below {@code first} after the first round, twice that after each other, below {@code longest}. */
    public Optimistic pauses(Duration first, Duration longest) {
        return new Optimistic(dataSource, rounds, new Backoff(first, longest));
    }

    /**
     * Replaces a value by what {@code change} makes of it; empty leaves it as it is. The function may be called once per
     * round and must have no side effects.
     *
     * @throws ContendedException if another client made a change in every round
     */
    public <T> CasResult<T> update(Cell<T> cell, Function<T, Optional<T>> change)
            throws SQLException, InterruptedException {
        CellStatements statements = cell.statements();
        Won<CasResult<T>> won = run(cell.toString(), connection -> {
            Optional<Seen<T>> seen = statements.read(connection, cell.type());
            if (seen.isEmpty()) {
                return Optional.of(new CasResult.NoSuchRow<>(1));
            }
            T before = seen.get().value();
            Optional<T> after = change.apply(before);
            if (after.isEmpty() || after.get().equals(before)) {
                return Optional.of(new CasResult.Kept<>(before, 1));
            }
            return statements.write(connection, seen.get(), after.get())
                    ? Optional.of(new CasResult.Swapped<>(before, after.get(), 1))
                    : Optional.empty();
        });
        return counted(won.result(), won.rounds());
    }

    /**
     * The same loop for SQL of the caller's own: more columns, more rows, a conditional {@code UPDATE} whose count of
     * rows says whether it won.
     *
     * @throws ContendedException if another client made a change in every round
     */
    public <R> Won<R> run(Round<R> round) throws SQLException, InterruptedException {
        return run("the data", round);
    }

    private <R> Won<R> run(String what, Round<R> round) throws SQLException, InterruptedException {
        for (int n = 1; ; n++) {
            Optional<R> result = once(round);
            if (result.isPresent()) {
                return new Won<>(result.get(), n);
            }
            if (n == rounds) {
                throw new ContendedException(what, rounds);
            }
            TimeUnit.NANOSECONDS.sleep(backoff.draw(n, ThreadLocalRandom.current()));
        }
    }

    private <R> Optional<R> once(Round<R> round) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            boolean wasAuto = connection.getAutoCommit();
            connection.setAutoCommit(false);
            boolean done = false;
            try {
                Optional<R> result = round.run(connection);
                if (result.isPresent()) {
                    connection.commit();
                    done = true;
                }
                return result;
            } catch (SQLException e) {
                if (!Conflicts.isRetryable(e)) {
                    throw e;
                }
                return Optional.empty();
            } finally {
                end(connection, done, wasAuto);
            }
        }
    }

    private static void end(Connection connection, boolean done, boolean wasAuto) {
        try {
            if (!done) {
                connection.rollback();
            }
            connection.setAutoCommit(wasAuto);
        } catch (SQLException e) {
            // The connection is closed next, which rolls back too; what happened before is the error worth knowing.
            System.getLogger(Optimistic.class.getName())
                    .log(System.Logger.Level.DEBUG, "rollback of a lost round: {0}", e.getMessage());
        }
    }

    private static <T> CasResult<T> counted(CasResult<T> result, int rounds) {
        if (result instanceof CasResult.Swapped<T> swapped) {
            return new CasResult.Swapped<>(swapped.before(), swapped.after(), rounds);
        }
        if (result instanceof CasResult.Kept<T> kept) {
            return new CasResult.Kept<>(kept.value(), rounds);
        }
        return new CasResult.NoSuchRow<>(rounds);
    }
}
