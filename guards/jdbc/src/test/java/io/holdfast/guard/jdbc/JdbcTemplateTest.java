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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The guard as the first statement of a Spring transaction. */
@PerDatabase
final class JdbcTemplateTest {
    private final JdbcGuard guard = JdbcGuard.of("stock:42", "job");

    @TempDir
    Path folder = Path.of("");

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL", "H2"})
    void whatFollowsTheAdmitInATransactionIsFenced(TestDatabase database) throws SQLException {
        Schema schema = stocked(database);
        JdbcTemplate jdbc = new JdbcTemplate(schema);
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(schema));

        transaction.executeWithoutResult(status -> {
            admit(jdbc, 34);
            Integer pieces = jdbc.queryForObject("SELECT pieces FROM stock WHERE id = 42", Integer.class);
            assertThat(pieces).isEqualTo(5);
            jdbc.batchUpdate(
                    "INSERT INTO sale (customer) VALUES (?)", List.of(new Object[] {"anna"}, new Object[] {"ben"}));
            jdbc.update("UPDATE stock SET pieces = ? WHERE id = 42", 3);
        });
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    admit(jdbc, 33);
                    jdbc.update("UPDATE stock SET pieces = 4 WHERE id = 42");
                }))
                .isInstanceOf(StaleTokenException.class);

        assertThat(schema.number("SELECT pieces FROM stock WHERE id = 42")).isEqualTo(3);
        assertThat(schema.number("SELECT count(*) FROM sale")).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "H2"})
    void aFailureAfterTheAdmitTakesTheMarkBackWithTheWrites(TestDatabase database) throws SQLException {
        Schema schema = stocked(database);
        JdbcTemplate jdbc = new JdbcTemplate(schema);
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(schema));

        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    admit(jdbc, 34);
                    jdbc.update("UPDATE stock SET pieces = 4 WHERE id = 42");
                    throw new IllegalStateException("the payment failed");
                }))
                .hasMessage("the payment failed");
        transaction.executeWithoutResult(status -> admit(jdbc, 33));

        assertThat(schema.number("SELECT pieces FROM stock WHERE id = 42")).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "H2"})
    void withoutATransactionTheAdmitIsAnErrorAndNotASilentGap(TestDatabase database) throws SQLException {
        JdbcTemplate jdbc = new JdbcTemplate(stocked(database));

        assertThatThrownBy(() -> admit(jdbc, 34))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("begin a transaction");
    }

    private void admit(JdbcTemplate jdbc, long token) {
        jdbc.execute((Connection connection) -> {
            guard.admit(connection, new Sequencer("job", Mode.EXCLUSIVE, token));
            return true;
        });
    }

    private Schema stocked(TestDatabase database) throws SQLException {
        Schema schema = database.fresh(folder);
        try (Connection connection = schema.getConnection()) {
            FenceTable.standard().create(connection);
        }
        schema.execute(
                "CREATE TABLE stock (id INTEGER NOT NULL PRIMARY KEY, pieces INTEGER NOT NULL)",
                "CREATE TABLE sale (customer VARCHAR(20) NOT NULL)",
                "INSERT INTO stock VALUES (42, 5)");
        return schema;
    }
}
