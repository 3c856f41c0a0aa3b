package io.holdfast.sql;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.servers.PostgresServer;
import io.holdfast.spi.LockStore;
import io.holdfast.tck.ContractClient;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** U31: a client that only looks creates no table, decides no mode and needs no right to write. */
@Tag("slow")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class SqlLookTest {
    private final String table = Servers.table();

    static Stream<Arguments> databases() {
        return Stream.of(
                database("PostgreSQL", () -> Servers.postgres().url()),
                database("MariaDB", () -> Servers.mariaDb().url()),
                database("MySQL", () -> Servers.mySql().url()),
                database("H2", () -> "jdbc:h2:mem:look;DB_CLOSE_DELAY=-1?holdfast.listen=false"));
    }

    private static Arguments database(String name, Supplier<String> url) {
        return Arguments.of(Named.of(name, url));
    }

    private String url(String base, String options) {
        return base + "&holdfast.autoCreate=true&holdfast.unflushed=accept&holdfast.table=" + table + options;
    }

    @ParameterizedTest
    @MethodSource("databases")
    void tablesThatAreMissingAreNotCreated(Supplier<String> base) throws Exception {
        assertThatThrownBy(() -> SqlFixture.openUrl(url(base.get(), "&holdfast.readOnly=true")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no table " + table);
        try (Connection connection = DriverManager.getConnection(base.get().replace("?holdfast.listen=false", ""));
                ResultSet tables = connection.getMetaData().getTables(null, null, table + "%", null)) {
            assertThat(tables.next()).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void holdersAreShownAndWhatWouldWriteIsRefused(Supplier<String> base) throws Exception {
        try (LockStore store = SqlFixture.openUrl(url(base.get(), ""));
                LockStore look = SqlFixture.openUrl(url(base.get(), "&holdfast.readOnly=true"))) {
            new ContractClient(store).granted(exclusive("job"));

            assertThat(new ContractClient(look).names("", 10)).containsExactly("job");
            assertThatThrownBy(() -> new ContractClient(look)
                            .tryAcquire(exclusive("other").claim()))
                    .hasMessageContaining("readOnly=true");
        }
    }

    @Test
    void theFirstClientThatLooksDoesNotDecideTheModeOfFreshTables() throws Exception {
        PostgresServer server = Servers.postgres();
        server.execute(SqlSchema.script(server.url() + "&holdfast.table=" + table));

        SqlFixture.openUrl(url(server.url(), "&holdfast.readOnly=true&holdfast=advisory"))
                .close();

        assertThat(count(server, table + "_setting")).isZero();
        SqlFixture.openUrl(url(server.url(), "")).close();
        assertThatThrownBy(() -> SqlFixture.openUrl(url(server.url(), "&holdfast.readOnly=true&holdfast=advisory")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("holdfast=lease");
    }

    @ParameterizedTest
    @org.junit.jupiter.params.provider.ValueSource(strings = {"lease", "advisory", "rowlock"})
    void aUserWhoMayOnlySelectCanLook(String mode) throws Exception {
        PostgresServer server = Servers.postgres();
        try (LockStore store = SqlFixture.openUrl(url(server.url(), "&holdfast=" + mode))) {
            new ContractClient(store).granted(exclusive("job"));
            String reader = "reader_" + table;
            server.execute("CREATE ROLE " + reader + " LOGIN; GRANT SELECT ON " + SqlFixture.tables(server, table)
                    + " TO " + reader);
            String asReader = server.url().replace("user=" + PostgresServer.USER, "user=" + reader);

            try (LockStore look = SqlFixture.openUrl(url(asReader, "&holdfast.readOnly=true&holdfast=" + mode))) {
                assertThat(new ContractClient(look).names("", 10)).containsExactly("job");
            }
            server.execute("DROP OWNED BY " + reader + "; DROP ROLE " + reader);
        }
    }

    private static long count(PostgresServer server, String table) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM " + table)) {
            row.next();
            return row.getLong(1);
        }
    }
}
