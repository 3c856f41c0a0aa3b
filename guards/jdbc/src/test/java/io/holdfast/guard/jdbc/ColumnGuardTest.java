package io.holdfast.guard.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.guard.jdbc.TestDatabase.Schema;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The mark in a column of the user's own row, in the user's own SQL. */
@PerDatabase
final class ColumnGuardTest {
    private static final String TAKE =
            "UPDATE stock SET pieces = pieces - 1, fence = ? WHERE id = ? AND pieces > 0 AND fence <= ?";
    private static final String FENCE = "SELECT fence FROM stock WHERE id = ?";

    private final ColumnGuard guard = ColumnGuard.of("stock row", "job");

    @TempDir
    Path folder = Path.of("");

    @ParameterizedTest
    @EnumSource
    void staleNoSuchRowAndAnotherConditionAreToldApart(TestDatabase database) throws SQLException {
        Schema schema = stocked(database);
        try (Connection connection = schema.getConnection()) {
            assertThat(take(connection, 42, 10)).isEqualTo(ColumnOutcome.APPLIED);
            assertThat(take(connection, 42, 11)).isEqualTo(ColumnOutcome.APPLIED);
            assertThatThrownBy(() -> take(connection, 42, 10))
                    .isInstanceOfSatisfying(StaleTokenException.class, stale -> {
                        assertThat(stale.seen()).isEqualTo(11);
                        assertThat(stale.offered()).isEqualTo(10);
                    });
            assertThat(take(connection, 43, 10)).isEqualTo(ColumnOutcome.NO_SUCH_ROW);
            assertThat(take(connection, 42, 12)).as("sold out").isEqualTo(ColumnOutcome.NOT_MATCHED);
        }
        assertThat(schema.number("SELECT pieces FROM stock WHERE id = 42")).isZero();
        assertThat(schema.number(FENCE.replace("?", "42"))).isEqualTo(11);
        assertThat(guard.refusals()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void markingWithTheStatementBeforeTheReadRefusesTheLateWrite(TestDatabase database) throws SQLException {
        Schema schema = stocked(database);
        String mark = "UPDATE stock SET fence = ? WHERE id = ? AND fence <= ?";
        try (Connection connection = schema.getConnection()) {
            assertThat(update(connection, mark, 42, 33)).isEqualTo(ColumnOutcome.APPLIED);
            assertThat(update(connection, mark, 42, 34)).isEqualTo(ColumnOutcome.APPLIED);
            assertThat(update(connection, mark, 42, 34)).as("again").isEqualTo(ColumnOutcome.APPLIED);
            assertThatThrownBy(() -> take(connection, 42, 33)).isInstanceOf(StaleTokenException.class);
        }
    }

    /** The driver then counts rows that changed: a repeated mark looks like a condition that failed. */
    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void aDriverThatCountsChangedRowsIsNotBelieved(TestDatabase database) throws SQLException {
        Schema schema = stocked(database);
        String mark = "UPDATE stock SET fence = ? WHERE id = ? AND fence <= ?";
        try (Connection connection = DriverManager.getConnection(schema.url + "&useAffectedRows=true")) {
            assertThat(update(connection, mark, 42, 33)).isEqualTo(ColumnOutcome.APPLIED);
            assertThatThrownBy(() -> update(connection, mark, 42, 33))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("useAffectedRows");
            assertThat(update(connection, mark, 42, 34)).isEqualTo(ColumnOutcome.APPLIED);
            assertThatThrownBy(() -> update(connection, mark, 42, 33)).isInstanceOf(StaleTokenException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL"})
    void misuseIsAnError(TestDatabase database) throws SQLException {
        Schema schema = stocked(database);
        byte[] key = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
        schema.execute("INSERT INTO stock VALUES (44, 2, 0)", "ALTER TABLE stock ALTER COLUMN fence DROP NOT NULL");
        schema.execute("INSERT INTO stock VALUES (45, 2, NULL)");
        try (Connection connection = schema.begin();
                PreparedStatement update = connection.prepareStatement(TAKE);
                PreparedStatement current = connection.prepareStatement(FENCE)) {
            for (Sequencer wrong : new Sequencer[] {
                new Sequencer("other", Mode.EXCLUSIVE, 10),
                new Sequencer("job", Mode.SHARED, 10),
                new Sequencer("job", Mode.PERMIT, 10)
            }) {
                assertThatThrownBy(() -> guard.update(wrong, update, 1, 3, current))
                        .isInstanceOf(IllegalArgumentException.class);
            }
            assertThatThrownBy(() -> guard.signedWith(key).update(exclusive(10), update, 1, 3, current))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("not signed");
            assertThatThrownBy(() -> update(connection, TAKE.replace("id = ?", "id < ?"), 45, 10))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("2 rows");
            connection.rollback();
            assertThatThrownBy(() -> take(connection, 45, 10))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("NOT NULL DEFAULT 0");
        }
        assertThat(schema.number("SELECT sum(pieces) FROM stock"))
                .as("nothing was taken")
                .isEqualTo(6);
    }

    private ColumnOutcome take(Connection connection, int id, long token) throws SQLException {
        return update(connection, TAKE, id, token);
    }

    private ColumnOutcome update(Connection connection, String text, int id, long token) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(text);
                PreparedStatement current = connection.prepareStatement(FENCE)) {
            update.setInt(2, id);
            current.setInt(1, id);
            return guard.update(exclusive(token), update, 1, 3, current);
        }
    }

    private Schema stocked(TestDatabase database) throws SQLException {
        Schema schema = database.fresh(folder);
        schema.execute(
                "CREATE TABLE stock (id INTEGER NOT NULL PRIMARY KEY, pieces INTEGER NOT NULL,"
                        + " fence BIGINT DEFAULT 0 NOT NULL)",
                "INSERT INTO stock (id, pieces) VALUES (42, 2)");
        return schema;
    }

    private static Sequencer exclusive(long token) {
        return new Sequencer("job", Mode.EXCLUSIVE, token);
    }
}
