package io.holdfast.guard.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.guard.jdbc.TestDatabase.Schema;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Rule U1 on real databases. Holder 33 has read the stock and is paused; its lease ends; holder 34 is granted the lock
 * and reads; 33 wakes up and writes; 34 writes what it computed. Each sale is a row, so what was sold can be counted.
 */
@Tag("slow")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class LateWriteTest {
    private static final Sequencer OLD = new Sequencer("job", Mode.EXCLUSIVE, 33);
    private static final Sequencer NEW = new Sequencer("job", Mode.EXCLUSIVE, 34);

    private final JdbcGuard guard = JdbcGuard.of("stock:42", "job");

    @TempDir
    Path folder = Path.of("");

    private static Stream<Arguments> databasesAndLevels() {
        return Stream.of(TestDatabase.POSTGRESQL, TestDatabase.MARIADB, TestDatabase.MYSQL, TestDatabase.H2)
                .flatMap(database ->
                        Stream.of("READ COMMITTED", "REPEATABLE READ").map(level -> Arguments.of(database, level)));
    }

    @ParameterizedTest(name = "U1: checking at the write alone loses an update on {0} at {1}")
    @MethodSource("databasesAndLevels")
    void checkingAtTheWriteAloneLosesAnUpdateWithEveryCheckGreen(TestDatabase database, String level)
            throws SQLException {
        Schema schema = stocked(database);
        try (Connection old = schema.begin(level(level));
                Connection young = schema.begin(level(level))) {
            long readByOld = read(old);
            old.commit();
            long readByYoung = read(young);
            young.commit();

            guard.admit(old, OLD);
            sell(old, readByOld);
            old.commit();
            guard.admit(young, NEW);
            sell(young, readByYoung);
            young.commit();
        }
        assertThat(guard.refusals()).as("every check was green").isZero();
        assertThat(sold(schema)).isEqualTo(2);
        assertThat(pieces(schema)).as("two were sold, one update is lost").isEqualTo(4);
    }

    @ParameterizedTest(name = "U1: marking before the first read loses none on {0} at {1}")
    @MethodSource("databasesAndLevels")
    void markingBeforeTheFirstReadRefusesTheLateWrite(TestDatabase database, String level) throws SQLException {
        Schema schema = stocked(database);
        try (Connection old = schema.begin(level(level));
                Connection young = schema.begin(level(level))) {
            guard.admit(old, OLD);
            long readByOld = read(old);
            old.commit();
            guard.admit(young, NEW);
            long readByYoung = read(young);
            young.commit();

            assertThatThrownBy(() -> {
                        guard.admit(old, OLD);
                        sell(old, readByOld);
                    })
                    .isInstanceOf(StaleTokenException.class);
            old.rollback();
            guard.admit(young, NEW);
            sell(young, readByYoung);
            young.commit();
        }
        assertThat(sold(schema)).isEqualTo(1);
        assertThat(pieces(schema))
                .as("one was sold, and that is what the stock says")
                .isEqualTo(4);
    }

    /** In one transaction each. PostgreSQL and H2 notice at REPEATABLE READ by themselves; MariaDB and MySQL do not. */
    @ParameterizedTest(name = "U1: reading before the mark in one transaction, on {0} at {1}")
    @MethodSource("databasesAndLevels")
    void readingBeforeTheMarkInOneTransactionLosesAnUpdateToo(TestDatabase database, String level) throws SQLException {
        Schema schema = stocked(database);
        try (Connection old = schema.begin(level(level));
                Connection young = schema.begin(level(level))) {
            boolean noticed = readBeforeTheMark(old, young);

            boolean notices = database == TestDatabase.POSTGRESQL || database == TestDatabase.H2;
            assertThat(noticed).isEqualTo(notices && level.equals("REPEATABLE READ"));
            assertThat(sold(schema)).isEqualTo(noticed ? 1 : 2);
            assertThat(pieces(schema)).isEqualTo(4);
        }
    }

    @Test
    @DisplayName("U1: reading before the mark is noticed by MariaDB with innodb_snapshot_isolation, and by SQLite")
    void readingBeforeTheMarkIsNoticedWhereTheDatabaseComparesSnapshots() throws SQLException {
        for (TestDatabase database : List.of(TestDatabase.MARIADB, TestDatabase.SQLITE)) {
            Schema schema = stocked(database);
            try (Connection old = schema.begin();
                    Connection young = schema.begin()) {
                if (database == TestDatabase.MARIADB) {
                    Schema.execute(young, "SET innodb_snapshot_isolation = ON");
                    young.rollback();
                    young.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                }
                assertThat(readBeforeTheMark(old, young)).as("%s", database).isTrue();
                assertThat(sold(schema)).isEqualTo(1);
            }
        }
    }

    /** The younger one reads, the older one sells, the younger one sells what it read; true if that was an error. */
    private boolean readBeforeTheMark(Connection old, Connection young) throws SQLException {
        long readByYoung = read(young);
        guard.admit(old, OLD);
        sell(old, read(old));
        old.commit();
        try {
            guard.admit(young, NEW);
            sell(young, readByYoung);
            young.commit();
            return false;
        } catch (SQLException e) {
            assertThat(Conflicts.isRetryable(e)).as("%s", e).isTrue();
            young.rollback();
            return true;
        }
    }

    /** The paused holder sits in an open transaction: the next one waits at the guard and then sees what it wrote. */
    @ParameterizedTest(name = "U1: a holder paused inside its transaction, on {0} at {1}")
    @MethodSource("databasesAndLevels")
    void whoeverWaitsAtTheGuardReadsWhatThePausedHolderWrote(TestDatabase database, String level) throws Exception {
        Schema schema = stocked(database);
        try (Connection old = schema.begin(level(level))) {
            guard.admit(old, OLD);
            long readByOld = read(old);
            Thread next = new Thread(() -> sellRetrying(schema, level(level)));
            next.start();
            sell(old, readByOld);
            old.commit();
            next.join();
        }
        assertThat(sold(schema)).isEqualTo(2);
        assertThat(pieces(schema)).as("two were sold, none is lost").isEqualTo(3);
    }

    /** As recommended: the database itself ends a transaction that idles, and with it the wait of the next holder. */
    @ParameterizedTest(name = "a holder that idles in its transaction is cut off by {0}")
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void aHolderThatIdlesInItsTransactionIsCutOffByTheDatabase(TestDatabase database) throws SQLException {
        Schema schema = stocked(database);
        Connection old = schema.getConnection();
        try (Connection young = schema.begin()) {
            Schema.execute(
                    old,
                    database == TestDatabase.POSTGRESQL
                            ? "SET idle_in_transaction_session_timeout = 300"
                            : "SET idle_transaction_timeout = 1");
            old.setAutoCommit(false);
            guard.admit(old, OLD);
            long readByOld = read(old); // and is paused for good

            guard.admit(young, NEW); // waits until the database has ended the other transaction
            sell(young, read(young));
            young.commit();
            assertThatThrownBy(() -> sell(old, readByOld)).isInstanceOf(SQLException.class);
        } finally {
            old.close();
        }
        assertThat(sold(schema)).isEqualTo(1);
        assertThat(pieces(schema)).isEqualTo(4);
    }

    private void sellRetrying(Schema schema, int isolation) {
        while (true) {
            try (Connection connection = schema.begin(isolation)) {
                try {
                    guard.admit(connection, NEW);
                    sell(connection, read(connection));
                    connection.commit();
                    return;
                } catch (SQLException e) {
                    connection.rollback();
                    if (!Conflicts.isRetryable(e)) {
                        throw e;
                    }
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private Schema stocked(TestDatabase database) throws SQLException {
        Schema schema = database.fresh(folder);
        try (Connection connection = schema.getConnection()) {
            FenceTable.standard().create(connection);
        }
        schema.execute(
                "CREATE TABLE stock (id INTEGER NOT NULL PRIMARY KEY, pieces INTEGER NOT NULL)",
                "CREATE TABLE sale (before_it INTEGER NOT NULL)",
                "INSERT INTO stock VALUES (42, 5)");
        return schema;
    }

    private static int level(String name) {
        return name.equals("READ COMMITTED")
                ? Connection.TRANSACTION_READ_COMMITTED
                : Connection.TRANSACTION_REPEATABLE_READ;
    }

    private static long read(Connection connection) throws SQLException {
        return Schema.number(connection, "SELECT pieces FROM stock WHERE id = 42");
    }

    private static void sell(Connection connection, long read) throws SQLException {
        Schema.execute(connection, "UPDATE stock SET pieces = " + (read - 1) + " WHERE id = 42");
        Schema.execute(connection, "INSERT INTO sale VALUES (" + read + ")");
    }

    private static long pieces(Schema schema) throws SQLException {
        return schema.number("SELECT pieces FROM stock WHERE id = 42");
    }

    private static long sold(Schema schema) throws SQLException {
        return schema.number("SELECT count(*) FROM sale");
    }
}
