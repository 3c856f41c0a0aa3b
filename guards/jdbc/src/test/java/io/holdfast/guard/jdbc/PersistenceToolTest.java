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
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The guard as the first statement of a transaction of JPA, MyBatis and jOOQ, as {@code docs/guards.md} shows it. */
@PerDatabase
final class PersistenceToolTest {
    private final JdbcGuard guard = JdbcGuard.of("stock:42", "job");

    @TempDir
    Path folder = Path.of("");

    static Stream<Arguments> toolsAndDatabases() {
        return Stream.of(TestDatabase.POSTGRESQL, TestDatabase.MARIADB, TestDatabase.MYSQL, TestDatabase.H2)
                .flatMap(database -> Stream.of(PersistenceTool.values()).map(tool -> Arguments.of(tool, database)));
    }

    @ParameterizedTest
    @MethodSource("toolsAndDatabases")
    void whatFollowsTheAdmitIsFencedAndAnOlderHolderWritesNothing(PersistenceTool tool, TestDatabase database)
            throws Exception {
        Schema schema = stocked(database);

        tool.sell(schema, connection -> guard.admit(connection, token(34)), "anna", "ben");
        assertThatThrownBy(() ->
                        tool.sell(schema, connection -> guard.admit(connection, token(33)), "carl", "dora", "emil"))
                .satisfies(thrown -> assertThat(stale(thrown)).as("%s", thrown).isTrue());

        assertThat(schema.number("SELECT pieces FROM stock WHERE id = 42")).isEqualTo(3);
        assertThat(schema.number("SELECT count(*) FROM sale")).isEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource("toolsAndDatabases")
    void theMarkIsTakenBackWithTheWritesOfATransactionThatFails(PersistenceTool tool, TestDatabase database)
            throws Exception {
        Schema schema = stocked(database);

        // Nobody can be called twice: the key of the second sale is taken, after the mark and the first were written.
        assertThatThrownBy(() -> tool.sell(schema, connection -> guard.admit(connection, token(34)), "anna", "anna"))
                .satisfies(thrown -> assertThat(stale(thrown)).as("%s", thrown).isFalse());
        tool.sell(schema, connection -> guard.admit(connection, token(33)), "carl");

        assertThat(schema.number("SELECT pieces FROM stock WHERE id = 42")).isEqualTo(4);
        assertThat(schema.number("SELECT count(*) FROM sale")).isEqualTo(1);
    }

    private static Sequencer token(long token) {
        return new Sequencer("job", Mode.EXCLUSIVE, token);
    }

    /** Whether the guard refused, by itself or wrapped by the tool. */
    private static boolean stale(Throwable thrown) {
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            if (each instanceof StaleTokenException) {
                return true;
            }
        }
        return false;
    }

    private Schema stocked(TestDatabase database) throws SQLException {
        Schema schema = database.fresh(folder);
        try (Connection connection = schema.getConnection()) {
            FenceTable.standard().create(connection);
        }
        schema.execute(
                "CREATE TABLE stock (id INTEGER NOT NULL PRIMARY KEY, pieces INTEGER NOT NULL)",
                "CREATE TABLE sale (customer VARCHAR(20) NOT NULL PRIMARY KEY)",
                "INSERT INTO stock VALUES (42, 5)");
        return schema;
    }
}
