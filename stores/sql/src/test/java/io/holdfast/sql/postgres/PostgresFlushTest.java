package io.holdfast.sql.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.PostgresOptions;
import io.holdfast.servers.PostgresServer;
import io.holdfast.spi.Claim;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.RenewResult;
import io.holdfast.sql.SqlFixture;
import io.holdfast.tck.Ask;
import io.holdfast.tck.ContractClient;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * U23: what is on disk when the store has answered. The database flushes of itself only every ten seconds here, and its
 * default is not to wait for that: whatever is flushed at once was flushed because the statement asked for it.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class PostgresFlushTest {
    private static final int TRIES = 30;

    /** By so much the place of the next record is ahead if the last one ended its page; a changed row is more. */
    private static final long PAGE_HEADER = 50;

    private static final PostgresServer SERVER = new PostgresServer(PostgresOptions.defaults()
            .option("synchronous_commit", "off")
            .option("wal_writer_delay", "10000")
            .option("wal_writer_flush_after", "100MB")
            .option("autovacuum", "off"));

    @BeforeAll
    static void start() {
        SERVER.start();
    }

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    @Test
    void aGrantAndARenewalAreFlushedAndAReleaseIsNot() throws Exception {
        int releasesNotWaitedFor = 0;
        try (LockStore store = SqlFixture.openUrl(SERVER.url() + "&holdfast.autoCreate=true");
                Connection observer = SERVER.connect()) {
            ContractClient client = new ContractClient(store);
            for (int i = 0; i < TRIES; i++) {
                Claim claim = Ask.exclusive("flushed").claim();
                client.granted(claim);
                assertThat(unflushed(observer)).as("after a grant").isLessThan(PAGE_HEADER);

                assertThat(client.renew(claim)).isInstanceOf(RenewResult.Renewed.class);
                assertThat(unflushed(observer)).as("after a renewal").isLessThan(PAGE_HEADER);

                client.released(claim);
                releasesNotWaitedFor += unflushed(observer) >= PAGE_HEADER ? 1 : 0;
            }
        }
        // Something else may flush in between now and then, a checkpoint for example.
        assertThat(releasesNotWaitedFor).isGreaterThan(TRIES / 2);
    }

    /** U35: a token of a lock that a session holds is on disk before it is believed. */
    @ParameterizedTest
    @ValueSource(strings = {"advisory", "rowlock"})
    void theTokenOfASessionsLockIsFlushed(String mode) throws Exception {
        String url = SERVER.url() + "&holdfast.autoCreate=true&holdfast=" + mode + "&holdfast.table=locks_" + mode;
        try (LockStore store = SqlFixture.openUrl(url);
                Connection observer = SERVER.connect()) {
            ContractClient client = new ContractClient(store);
            for (int i = 0; i < TRIES; i++) {
                Claim claim = Ask.exclusive("flushed").claim();
                client.granted(claim);
                assertThat(unflushed(observer)).as("after a grant").isLessThan(PAGE_HEADER);
                client.released(claim);
            }
        }
    }

    /** U23: every weaker setting is raised, a stronger one is left alone. */
    @ParameterizedTest
    @CsvSource({"off,on", "local,on", "remote_write,on", "on,on", "remote_apply,remote_apply"})
    void aGrantIsAsDurableAsItMustBe(String setting, String effective) throws Exception {
        try (Connection connection = SERVER.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SET LOCAL synchronous_commit = " + setting);
            statement.execute("SELECT " + PostgresStatements.DURABLE);
            try (ResultSet row = statement.executeQuery("SELECT current_setting('synchronous_commit')")) {
                row.next();
                assertThat(row.getString(1)).isEqualTo(effective);
            }
            connection.rollback();
        }
    }

    /** The bytes of committed work that a crash of the machine would take back. */
    private static long unflushed(Connection observer) throws SQLException {
        try (Statement statement = observer.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), pg_current_wal_flush_lsn())")) {
            row.next();
            return row.getLong(1);
        }
    }
}
