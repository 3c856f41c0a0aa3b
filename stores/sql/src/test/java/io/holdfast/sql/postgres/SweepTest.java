package io.holdfast.sql.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.PostgresServer;
import io.holdfast.spi.Claim;
import io.holdfast.spi.LockStore;
import io.holdfast.sql.Servers;
import io.holdfast.sql.SqlFixture;
import io.holdfast.tck.Ask;
import io.holdfast.tck.ContractClient;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** N4: only rows that are free and whose last token is a day behind the database's clock are deleted. */
final class SweepTest {
    private final PostgresServer server = Servers.postgres();
    private final String table = Servers.table();

    @Test
    void freeRowsOfYesterdayAreDeletedAndNoOthers() throws Exception {
        PostgresRows rows = new PostgresRows(table, "unused");
        try (LockStore store = SqlFixture.openUrl(server.url() + "&holdfast.autoCreate=true&holdfast.table=" + table);
                Connection connection = server.connect()) {
            ContractClient client = new ContractClient(store);
            Claim released = Ask.exclusive("a-old-and-free").claim();
            client.granted(released);
            client.released(released);
            client.granted(Ask.exclusive("b-old-and-held"));
            client.granted(Ask.shared("c-old-and-shared"));
            Claim fresh = Ask.exclusive("d-fresh").claim();
            long token = client.granted(fresh).token();
            client.released(fresh);
            long yesterday = 86_400_000_000L + 60_000_000L;
            server.execute(
                    "UPDATE " + table + " SET last_token = last_token - " + yesterday + " WHERE name <> 'd-fresh'");

            assertThat(rows.sweep(connection, "", 2)).isEqualTo("b-old-and-held");
            assertThat(rows.sweep(connection, "b-old-and-held", 100)).isEmpty();

            assertThat(names(connection)).isEqualTo("b-old-and-held c-old-and-shared d-fresh");
            assertThat(client.granted(Ask.exclusive("d-fresh")).token()).isGreaterThan(token);
        }
    }

    private String names(Connection connection) throws Exception {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT string_agg(name, ' ' ORDER BY name) FROM " + table)) {
            row.next();
            return row.getString(1);
        }
    }
}
