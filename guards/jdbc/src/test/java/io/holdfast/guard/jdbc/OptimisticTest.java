package io.holdfast.guard.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.guard.jdbc.TestDatabase.Schema;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Compare-and-swap without any lock, with real contention on real databases. */
@PerDatabase
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class OptimisticTest {
    private static final int THREADS = 6;
    private static final int TURNS = 15;

    private static final Cell<Integer> BY_VERSION =
            Cell.of("stock", "pieces", Integer.class).where("id", 42).byVersion("version");
    private static final Cell<Integer> BY_VALUE =
            Cell.of("stock", "pieces", Integer.class).where("id", 42).byValue();
    private static final Cell<Integer> BY_TIME =
            Cell.of("stock", "pieces", Integer.class).where("id", 42).byTimestamp("changed");

    @TempDir
    Path folder = Path.of("");

    @ParameterizedTest(name = "{0} by {1}")
    @CsvSource({
        "POSTGRESQL, version",
        "POSTGRESQL, value",
        "POSTGRESQL, time",
        "MARIADB, version",
        "MARIADB, value",
        "MARIADB, time",
        "MYSQL, version",
        "MYSQL, value",
        "MYSQL, time",
        "H2, version",
        "H2, value",
        "H2, time",
        "SQLITE, version",
        "SQLITE, value"
    })
    void noUpdateIsLostUnderContention(TestDatabase database, String by) throws Exception {
        Schema schema = stocked(database, 6);
        Cell<Integer> cell = by.equals("version") ? BY_VERSION : by.equals("value") ? BY_VALUE : BY_TIME;
        Optimistic optimistic =
                Optimistic.over(schema).rounds(1000).pauses(Duration.ofMillis(1), Duration.ofMillis(20));
        AtomicInteger rounds = new AtomicInteger();
        AtomicInteger calls = new AtomicInteger();
        CyclicBarrier allHaveRead = new CyclicBarrier(THREADS);

        inParallel(() -> {
            CasResult<Integer> result = optimistic.update(cell, pieces -> {
                if (calls.incrementAndGet() <= THREADS) {
                    meet(allHaveRead);
                }
                return Optional.of(pieces + 1);
            });
            assertThat(result).isInstanceOf(CasResult.Swapped.class);
            rounds.addAndGet(result.rounds());
        });

        assertThat(pieces(schema)).isEqualTo(5 + THREADS * TURNS);
        assertThat(rounds.get())
                .as("all read the same at first, and one of them won")
                .isGreaterThanOrEqualTo(THREADS * TURNS + THREADS - 1);
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL"})
    void everyRoundReadsAnewAtRepeatableReadToo(TestDatabase database) throws Exception {
        Schema schema = stocked(database, 6);
        Schema repeatable = new Schema(database, schema.url) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                return connection;
            }
        };
        Optimistic optimistic = Optimistic.over(repeatable).rounds(3).pauses(Duration.ZERO, Duration.ZERO);
        AtomicInteger calls = new AtomicInteger();

        CasResult<Integer> result = optimistic.update(BY_VERSION, pieces -> {
            if (calls.incrementAndGet() == 1) {
                somebodyElse(schema);
            }
            return Optional.of(pieces - 1);
        });

        assertThat(result).isEqualTo(new CasResult.Swapped<>(4, 3, 2));
    }

    @ParameterizedTest
    @EnumSource
    void itGivesUpAfterItsRoundsSaysHowManyAndHasWrittenNothing(TestDatabase database) throws Exception {
        Schema schema = stocked(database, 6);
        Optimistic optimistic = Optimistic.over(schema).rounds(3).pauses(Duration.ZERO, Duration.ofMillis(1));
        AtomicInteger calls = new AtomicInteger();

        assertThatThrownBy(() -> optimistic.update(BY_VERSION, pieces -> {
                    calls.incrementAndGet();
                    somebodyElse(schema);
                    return Optional.of(1000);
                }))
                .isInstanceOfSatisfying(
                        ContendedException.class, e -> assertThat(e.rounds()).isEqualTo(3))
                .hasMessageContaining("3 rounds")
                .hasMessageContaining("stock.pieces");
        assertThat(calls).hasValue(3);
        assertThat(pieces(schema)).as("only somebody else's three").isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void keptAndMissingRowsAreValuesAndNotErrors(TestDatabase database) throws Exception {
        Schema schema = stocked(database, 6);
        Optimistic optimistic = Optimistic.over(schema);
        assertThat(optimistic.update(BY_VALUE, pieces -> Optional.empty())).isEqualTo(new CasResult.Kept<>(5, 1));
        assertThat(optimistic.update(BY_VERSION, Optional::of)).isEqualTo(new CasResult.Kept<>(5, 1));
        assertThat(optimistic.update(
                        Cell.of("stock", "pieces", Integer.class)
                                .where("id", 43)
                                .byVersion("version"),
                        pieces -> Optional.of(1)))
                .isEqualTo(new CasResult.NoSuchRow<>(1));
        assertThat(schema.number("SELECT version FROM stock WHERE id = 42")).isZero();
    }

    /** The ABA note of {@link Cell#byValue}: sold and returned between the read and the write. */
    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "H2"})
    void aValueThatWentAndCameBackIsNoticedByTheVersionOnly(TestDatabase database) throws Exception {
        Schema schema = stocked(database, 6);
        Optimistic once = Optimistic.over(schema).rounds(1);
        assertThat(once.update(BY_VALUE, pieces -> {
                    somebodyElse(schema);
                    run(schema, "UPDATE stock SET pieces = pieces + 1, version = version + 1 WHERE id = 42");
                    return Optional.of(pieces - 1);
                }))
                .isEqualTo(new CasResult.Swapped<>(5, 4, 1));
        assertThatThrownBy(() -> once.update(BY_VERSION, pieces -> {
                    somebodyElse(schema);
                    run(schema, "UPDATE stock SET pieces = pieces + 1, version = version + 1 WHERE id = 42");
                    return Optional.of(pieces - 1);
                }))
                .isInstanceOf(ContendedException.class);
    }

    /** The warning of {@link Cell#byTimestamp}: a foreign writer within the same tick. */
    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "H2"})
    void aChangeWithinTheResolutionOfATimestampIsNotNoticed(TestDatabase database) throws Exception {
        Schema schema = stocked(database, 0);
        CasResult<Integer> result = patient(schema).update(BY_TIME, pieces -> {
            run(
                    schema,
                    "UPDATE stock SET pieces = 1, changed = changed WHERE id = 42"); // its clock shows the same tick
            return Optional.of(pieces - 1);
        });
        assertThat(result).as("computed from 5, though it was 1").isEqualTo(new CasResult.Swapped<>(5, 4, 1));
    }

    /** Own writers wait for the next tick instead, also when it comes once per second. */
    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL", "H2"})
    void ownWritersNeverWriteTheSameTimestampTwice(TestDatabase database) throws Exception {
        Schema schema = stocked(database, 0);
        Optimistic patient = patient(schema);
        int rounds = 0;
        for (int i = 0; i < 2; i++) {
            rounds += patient.update(BY_TIME, pieces -> Optional.of(pieces - 1)).rounds();
        }
        assertThat(pieces(schema)).isEqualTo(3);
        assertThat(rounds).as("the second waited for the next second").isGreaterThan(2);
    }

    @ParameterizedTest
    @EnumSource
    void ownSqlRunsInTheSameLoopAndIsCommittedAsOne(TestDatabase database) throws Exception {
        Schema schema = stocked(database, 6);
        schema.execute("CREATE TABLE sale (before_it INTEGER NOT NULL)");
        Optimistic optimistic =
                Optimistic.over(schema).rounds(1000).pauses(Duration.ofMillis(1), Duration.ofMillis(20));

        inParallel(() -> optimistic.run(connection -> {
            long read = Schema.number(connection, "SELECT pieces FROM stock WHERE id = 42");
            Schema.execute(connection, "INSERT INTO sale VALUES (" + read + ")"); // rolled back with a lost round
            try (var update = connection.prepareStatement("UPDATE stock SET pieces = ? WHERE id = 42 AND pieces = ?")) {
                update.setLong(1, read + 1);
                update.setLong(2, read);
                return update.executeUpdate() == 1 ? Optional.of(read) : Optional.empty();
            }
        }));

        assertThat(pieces(schema)).isEqualTo(5 + THREADS * TURNS);
        assertThat(schema.number("SELECT count(DISTINCT before_it) FROM sale")).isEqualTo(THREADS * TURNS);
        assertThat(schema.number("SELECT count(*) FROM sale")).isEqualTo(THREADS * TURNS);
    }

    @ParameterizedTest
    @EnumSource
    void anErrorThatIsNoConflictEndsTheCallAtOnceAndIsRolledBack(TestDatabase database) throws Exception {
        Schema schema = stocked(database, 6);
        AtomicInteger rounds = new AtomicInteger();
        assertThatThrownBy(() -> Optimistic.over(schema).run(connection -> {
                    rounds.incrementAndGet();
                    Schema.execute(connection, "UPDATE stock SET pieces = 0 WHERE id = 42");
                    Schema.execute(connection, "INSERT INTO stock (id, pieces, version) VALUES (42, 1, 0)");
                    return Optional.of(true);
                }))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        e -> assertThat(Conflicts.isRetryable(e)).as("%s", e).isFalse());
        assertThat(rounds).hasValue(1);
        assertThat(pieces(schema)).isEqualTo(5);
    }

    @Test
    void misuseSaysWhatToDo() throws Exception {
        Schema schema = stocked(TestDatabase.SQLITE, 6);
        Optimistic optimistic = Optimistic.over(schema);
        Cell<Integer> bare = Cell.of("stock", "pieces", Integer.class);
        assertThatThrownBy(() -> optimistic.update(bare.byVersion("version"), Optional::of))
                .hasMessageContaining("where(column, value)");
        assertThatThrownBy(() -> optimistic.update(bare.where("id", 42), Optional::of))
                .hasMessageContaining("byVersion");
        assertThatThrownBy(() -> optimistic.update(BY_TIME, pieces -> Optional.of(1)))
                .hasMessageContaining("no timestamp");
        assertThatThrownBy(() -> Cell.of("stock", "a b", Integer.class)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Cell.of("stock", "weight", Double.class).byValue())
                .hasMessageContaining("floating point");
        assertThatThrownBy(() -> optimistic.rounds(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> optimistic.pauses(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class);
        schema.execute("INSERT INTO stock (id, pieces, version) VALUES (43, 1, 0)");
        assertThatThrownBy(() -> optimistic.update(bare.where("version", 0).byValue(), Optional::of))
                .hasMessageContaining("more than one row");
        schema.execute("INSERT INTO stock (id, pieces, version) VALUES (7, NULL, 0)");
        assertThatThrownBy(() -> optimistic.update(bare.where("id", 7).byVersion("version"), Optional::of))
                .hasMessageContaining("NULL");
    }

    private interface Turn {
        void run() throws Exception;
    }

    private static Optimistic patient(Schema schema) {
        return Optimistic.over(schema).rounds(1000).pauses(Duration.ofMillis(20), Duration.ofMillis(40));
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(1, TimeUnit.MINUTES);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void inParallel(Turn turn) throws Exception {
        CyclicBarrier start = new CyclicBarrier(THREADS);
        ExecutorService executor = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> results = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                results.add(executor.submit(() -> {
                    start.await();
                    for (int n = 0; n < TURNS; n++) {
                        turn.run();
                    }
                    return null;
                }));
            }
            for (Future<?> result : results) {
                result.get();
            }
        } finally {
            executor.shutdownNow();
        }
    }

    private Schema stocked(TestDatabase database, int digits) throws SQLException {
        Schema schema = database.fresh(folder);
        String changed = switch (database) {
            case SQLITE -> "changed TEXT DEFAULT '2026-01-01' NOT NULL";
            case MARIADB, MYSQL -> "changed DATETIME(" + digits + ") DEFAULT '2026-01-01' NOT NULL";
            case POSTGRESQL -> "changed TIMESTAMPTZ(" + digits + ") DEFAULT '2026-01-01' NOT NULL";
            default -> "changed TIMESTAMP(" + digits + ") DEFAULT '2026-01-01 00:00:00' NOT NULL";
        };
        schema.execute(
                "CREATE TABLE stock (id INTEGER NOT NULL PRIMARY KEY, pieces INTEGER, version BIGINT NOT NULL, "
                        + changed + ")",
                "INSERT INTO stock (id, pieces, version) VALUES (42, 5, 0)");
        return schema;
    }

    private static void somebodyElse(Schema schema) {
        run(schema, "UPDATE stock SET pieces = pieces - 1, version = version + 1 WHERE id = 42");
    }

    private static void run(Schema schema, String text) {
        try {
            schema.execute(text);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long pieces(Schema schema) throws SQLException {
        return schema.number("SELECT pieces FROM stock WHERE id = 42");
    }
}
