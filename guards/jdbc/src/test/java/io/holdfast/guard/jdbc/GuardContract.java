package io.holdfast.guard.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.fence.Marks;
import io.holdfast.guard.jdbc.TestDatabase.Schema;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@link JdbcGuard} promises, on every database. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
abstract class GuardContract {
    private static final byte[] KEY = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private final TestDatabase database;
    private final JdbcGuard guard = JdbcGuard.of("stock:42", "job");

    @TempDir
    Path folder = Path.of("");

    private Schema schema = new Schema(TestDatabase.H2, "");

    GuardContract(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void create() throws SQLException {
        schema = database.fresh(folder);
        try (Connection connection = schema.getConnection()) {
            FenceTable.standard().create(connection);
        }
        schema.execute(
                "CREATE TABLE stock (id INTEGER NOT NULL PRIMARY KEY, pieces INTEGER NOT NULL)",
                "INSERT INTO stock VALUES (42, 5)");
    }

    @Test
    void theFirstAdmitMarksAndTheSameTokenIsAdmittedAgain() throws SQLException {
        assertThat(marks()).isEqualTo(Marks.NONE);
        try (Connection connection = schema.begin()) {
            guard.admit(connection, exclusive(10));
            guard.admit(connection, exclusive(10));
            connection.commit();
            guard.admit(connection, exclusive(10));
            connection.commit();
        }
        assertThat(marks()).isEqualTo(new Marks(10, 10));
        assertThat(guard.refusals()).isZero();
    }

    @Test
    void anOlderTokenIsRefusedAndTheExceptionSaysWhichWasSeen() throws SQLException {
        admit(exclusive(11));
        assertThatThrownBy(() -> admit(exclusive(10))).isInstanceOfSatisfying(StaleTokenException.class, stale -> {
            assertThat(stale.seen()).isEqualTo(11);
            assertThat(stale.offered()).isEqualTo(10);
        });
        assertThat(guard.refusals()).isEqualTo(1);
        assertThat(marks()).isEqualTo(new Marks(11, 11));
    }

    @Test
    void tokensBeyond53BitsAreToldApart() throws SQLException {
        long large = Long.MAX_VALUE - 1;
        admit(exclusive(large));
        assertThatThrownBy(() -> admit(exclusive(large - 1))).isInstanceOf(StaleTokenException.class);
        admit(exclusive(large + 1));
        assertThat(marks()).isEqualTo(new Marks(large + 1, large + 1));
    }

    /** The rule is written in SQL once more; it must be that of {@link Marks}. */
    @Test
    void theStatementFollowsTheRuleOfTheTwoMarksInFiveHundredRandomSteps() throws SQLException {
        Random random = new Random(42);
        Marks expected = Marks.NONE;
        int refused = 0;
        try (Connection connection = schema.begin()) {
            for (int step = 0; step < 500; step++) {
                Mode mode = random.nextBoolean() ? Mode.SHARED : Mode.EXCLUSIVE;
                long token = 1L + step / 10 + random.nextInt(8);
                boolean admitted = true;
                try {
                    guard.admit(connection, new Sequencer("job", mode, token));
                } catch (StaleTokenException e) {
                    admitted = false;
                    refused++;
                    assertThat(e.seen()).isEqualTo(expected.against(mode));
                }
                assertThat(admitted).as("%s %s at %s", mode, token, expected).isEqualTo(expected.admits(mode, token));
                expected = admitted ? expected.with(mode, token) : expected;
                assertThat(guard.marks(connection)).isEqualTo(expected);
            }
            connection.commit();
        }
        assertThat(refused).isBetween(50, 450);
    }

    @Test
    void aConnectionInAutocommitModeIsAnErrorThatSaysWhy() throws SQLException {
        try (Connection connection = schema.getConnection()) {
            assertThatThrownBy(() -> guard.admit(connection, exclusive(10)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("autocommit")
                    .hasMessageContaining("unlocked before your own statements run");
        }
        assertThat(marks()).isEqualTo(Marks.NONE);
    }

    @Test
    @DisplayName("U19: a sequencer of another lock is refused, by the guard's own name and by the row's")
    void sequencersOfAnotherLockAreRefused() throws SQLException {
        admit(exclusive(10));
        Sequencer other = new Sequencer("other", Mode.EXCLUSIVE, 99);
        JdbcGuard misconfigured = JdbcGuard.of("stock:42", "other");
        try (Connection connection = schema.begin()) {
            assertThatThrownBy(() -> guard.admit(connection, other))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'job'");
            assertThatThrownBy(() -> misconfigured.admit(connection, other))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("guarded by lock 'job'");
            connection.commit();
        }
        assertThat(marks()).isEqualTo(new Marks(10, 10));
        assertThat(guard.refusals()).as("misuse is not staleness").isZero();
    }

    @Test
    void permitsAndWrongSignaturesAreErrors() throws SQLException {
        JdbcGuard signed = guard.signedWith(KEY);
        byte[] otherKey = "fedcba9876543210".getBytes(StandardCharsets.US_ASCII);
        try (Connection connection = schema.begin()) {
            for (Sequencer wrong : List.of(exclusive(10), exclusive(10).signedWith(otherKey))) {
                assertThatThrownBy(() -> signed.admit(connection, wrong)).isInstanceOf(IllegalArgumentException.class);
            }
            assertThatThrownBy(() -> guard.admit(connection, new Sequencer("job", Mode.PERMIT, 10)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> guard.signedWith(new byte[3])).isInstanceOf(IllegalArgumentException.class);
            signed.admit(connection, exclusive(10).signedWith(KEY));
            connection.commit();
        }
        assertThat(marks()).isEqualTo(new Marks(10, 10));
    }

    @Test
    void namesCompareByteByByteAndMayBeLong() throws SQLException {
        String astral = new String(Character.toChars(0x1F512));
        List<String> names = List.of("Order", "order", "order ", "ord\u00e9r", "orde\u0301r", astral.repeat(512));
        long token = 10;
        for (String name : names) {
            try (Connection connection = schema.begin()) {
                JdbcGuard.of(name, name).admit(connection, new Sequencer(name, Mode.EXCLUSIVE, ++token));
                connection.commit();
            }
        }
        try (Connection connection = schema.getConnection()) {
            for (int i = 0; i < names.size(); i++) {
                assertThat(FenceTable.standard().find(connection, names.get(i)))
                        .contains(new FenceRow(names.get(i), names.get(i), new Marks(11 + i, 11 + i)));
            }
        }
        assertThat(schema.number("SELECT count(*) FROM holdfast_fence")).isEqualTo(names.size());
    }

    @Test
    void theRowStaysLockedUntilTheTransactionEnds() throws SQLException {
        admit(exclusive(9));
        try (Connection first = schema.begin();
                Connection second = schema.begin()) {
            Schema.execute(second, database.waitAtMost(100));
            second.rollback();
            Schema.execute(second, database.waitAtMost(100)); // PostgreSQL takes a SET back with the transaction
            second.commit();
            guard.admit(first, exclusive(10));
            assertThatThrownBy(() -> guard.admit(second, exclusive(11)))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(Conflicts.isRetryable(e))
                                    .as("%s", e)
                                    .isTrue());
            second.rollback();
            first.commit();
            guard.admit(second, exclusive(11));
            second.commit();
        }
        assertThat(marks()).isEqualTo(new Marks(11, 11));
    }

    @Test
    void aRefusedTransactionKeepsTheRowLockedTooSoThatNobodyIsAdmittedBetweenTheAnswerAndTheRollback()
            throws SQLException {
        admit(exclusive(12));
        try (Connection stale = schema.begin();
                Connection second = schema.begin()) {
            Schema.execute(second, database.waitAtMost(100));
            second.commit();
            assertThatThrownBy(() -> guard.admit(stale, exclusive(11))).isInstanceOf(StaleTokenException.class);
            assertThatThrownBy(() -> guard.admit(second, exclusive(13))).isInstanceOf(SQLException.class);
            second.rollback();
            stale.rollback();
            guard.admit(second, exclusive(13));
            second.commit();
        }
    }

    @Test
    void aRollbackTakesTheMarkBackAndLeavesTheOlderHolderItsTurn() throws SQLException {
        admit(exclusive(10));
        try (Connection connection = schema.begin()) {
            guard.admit(connection, exclusive(11));
            assertThat(guard.marks(connection)).isEqualTo(new Marks(11, 11));
            connection.rollback();
        }
        admit(exclusive(10));
        assertThat(marks()).isEqualTo(new Marks(10, 10));
    }

    @Test
    @DisplayName("U19: the mark outlives the data")
    void theMarkOutlivesTheData() throws SQLException {
        admit(exclusive(10));
        schema.execute("DELETE FROM stock");
        assertThatThrownBy(() -> admit(exclusive(9))).isInstanceOf(StaleTokenException.class);
    }

    @Test
    void anOperatorReadsRaisesAndResets() throws SQLException {
        admit(exclusive(10));
        try (Connection connection = schema.getConnection()) {
            guard.raise(connection, 20);
            assertThat(guard.marks(connection)).isEqualTo(new Marks(20, 20));
            guard.raise(connection, 15);
            assertThat(guard.marks(connection)).as("never lowered").isEqualTo(new Marks(20, 20));
            assertThatThrownBy(() -> admit(exclusive(19))).isInstanceOf(StaleTokenException.class);
            assertThatThrownBy(() -> JdbcGuard.of("stock:42", "other").raise(connection, 30))
                    .isInstanceOf(IllegalArgumentException.class);

            guard.reset(connection, new Marks(7, 5));
            assertThat(guard.marks(connection)).isEqualTo(new Marks(7, 5));
            admit(exclusive(7));

            FenceTable.standard().reset(connection, "stock:42", "new lock", Marks.NONE);
            assertThat(FenceTable.standard().find(connection, "stock:42"))
                    .contains(new FenceRow("stock:42", "new lock", Marks.NONE));
            FenceTable.standard().reset(connection, "another", "job", new Marks(3, 3));
            assertThat(FenceTable.standard().find(connection, "another"))
                    .contains(new FenceRow("another", "job", new Marks(3, 3)));
        }
    }

    @Test
    void aTableOfAnotherNameIsUsedAndItsDdlIsPrintedForTheUrl() throws SQLException {
        FenceTable table = FenceTable.named("my_fence");
        JdbcGuard elsewhere = guard.in(table);
        try (Connection connection = schema.begin()) {
            assertThatThrownBy(() -> elsewhere.admit(connection, exclusive(10)))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("my_fence")
                    .hasMessageContaining("FenceTable.create");
        }
        schema.execute(table.ddl(schema.url));
        schema.execute(table.ddl(schema.url));
        try (Connection connection = schema.begin()) {
            elsewhere.admit(connection, exclusive(10));
            connection.commit();
        }
        assertThat(marks()).as("the standard table is untouched").isEqualTo(Marks.NONE);
        assertThatThrownBy(() -> FenceTable.named("x; DROP TABLE stock")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> table.ddl("jdbc:oracle:thin:@x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("oracle");
    }

    @Test
    void manyFirstComersOfNewResourcesTakeTurnsAndLoseNoUpdate() throws Exception {
        for (int isolation : database.isolationLevels()) {
            for (int i = 0; i < 3; i++) {
                Crowd crowd = new Crowd(schema, JdbcGuard.of("new " + isolation + " " + i, "job"), isolation);
                crowd.run(8, 1);
                assertThat(crowd.admitted()).as("at isolation %s", isolation).isPositive();
                assertThat(crowd.admitted() + crowd.refused()).isEqualTo(8);
                crowd.assertNothingLost();
            }
        }
    }

    @Test
    void underContentionNoUpdateIsLostAtAnyIsolationLevel() throws Exception {
        for (int isolation : database.isolationLevels()) {
            Crowd crowd = new Crowd(schema, guard, isolation);
            try (Connection connection = schema.getConnection()) {
                guard.reset(connection, Marks.NONE);
            }
            crowd.run(4, 25);
            assertThat(crowd.admitted() + crowd.refused()).isEqualTo(100);
            assertThat(crowd.admitted()).as("at isolation %s", isolation).isPositive();
            crowd.assertNothingLost();
        }
    }

    private void admit(Sequencer sequencer) throws SQLException {
        try (Connection connection = schema.begin()) {
            guard.admit(connection, sequencer);
            connection.commit();
        }
    }

    private Marks marks() throws SQLException {
        try (Connection connection = schema.getConnection()) {
            return guard.marks(connection);
        }
    }

    private static Sequencer exclusive(long token) {
        return new Sequencer("job", Mode.EXCLUSIVE, token);
    }
}
