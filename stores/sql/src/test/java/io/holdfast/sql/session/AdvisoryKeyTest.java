package io.holdfast.sql.session;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.Claim;
import io.holdfast.spi.LockStore;
import io.holdfast.sql.Servers;
import io.holdfast.sql.SqlFixture;
import io.holdfast.tck.ContractClient;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The key of an advisory lock is the one in its row (U30), and tables have one mode (U33). */
@Tag("slow")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class AdvisoryKeyTest {
    private static final String ADVISORY = "&holdfast=advisory&holdfast.autoCreate=true";

    @Test
    void postgresKnowsOneTableByItsSearchPathAndByItsSchema() throws Exception {
        String schema = "s_" + Servers.table();
        Servers.postgres().execute("CREATE SCHEMA " + schema);
        String url = Servers.postgres().url() + ADVISORY;
        excludeEachOther(url + "&currentSchema=" + schema, url + "&holdfast.schema=" + schema);
    }

    @Test
    void postgresFoldsTheCaseOfATable() throws Exception {
        String table = Servers.table();
        String url = Servers.postgres().url() + ADVISORY + "&holdfast.table=";
        excludeEachOther(url + table, url + table.toUpperCase(Locale.ROOT));
    }

    @Test
    void mariaDbKnowsOneTableByItsDefaultDatabaseAndByItsSchema() throws Exception {
        String url = Servers.mariaDb().url() + ADVISORY + "&holdfast.table=" + Servers.table();
        excludeEachOther(url, url + "&holdfast.schema=holdfast");
    }

    @Test
    void mySqlKnowsOneTableByItsDefaultDatabaseAndByItsSchema() throws Exception {
        String url = Servers.mySql().url() + ADVISORY + "&holdfast.table=" + Servers.table();
        excludeEachOther(url, url + "&holdfast.schema=holdfast");
    }

    @Test
    void databasesOfOneServerDoNotBlockEachOther() throws Exception {
        String other = "d_" + Servers.table();
        Servers.mariaDb().execute("CREATE DATABASE " + other);
        String url = Servers.mariaDb().url() + ADVISORY + "&holdfast.table=" + Servers.table();
        try (LockStore one = SqlFixture.openUrl(url);
                LockStore two = SqlFixture.openUrl(url.replace("/holdfast?", "/" + other + "?"))) {
            new ContractClient(one).granted(exclusive("job").by("one"));
            new ContractClient(two).granted(exclusive("job").by("two"));
        }
    }

    @Test
    void aRowThatWasDeletedUnderItsHolderGetsTheSameKeyAgain() throws Exception {
        String table = Servers.table();
        String url = Servers.postgres().url() + ADVISORY + "&holdfast.table=" + table;
        try (LockStore one = SqlFixture.openUrl(url);
                LockStore two = SqlFixture.openUrl(url)) {
            new ContractClient(one).granted(exclusive("job").by("one"));
            Servers.postgres().execute("DELETE FROM " + table + "_token");
            new ContractClient(two).refused(exclusive("job").by("two"));
        }
    }

    @Test
    void aClientOfAnotherModeIsRefused() {
        String url = Servers.postgres().url() + "&holdfast.autoCreate=true&holdfast.table=" + Servers.table();
        SqlFixture.openUrl(url + "&holdfast=rowlock").close();
        assertThatThrownBy(() -> SqlFixture.openUrl(url + "&holdfast=advisory"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("holdfast=rowlock");
        assertThatThrownBy(() -> SqlFixture.openUrl(url)).hasMessageContaining("do not exclude each other");
    }

    @Test
    void tablesOfTheFirstVersionKeepTheModeThatTheirRowsShow() throws Exception {
        String table = Servers.table();
        String url = Servers.postgres().url() + "&holdfast.autoCreate=true&holdfast.table=" + table;
        try (LockStore store = SqlFixture.openUrl(url + "&holdfast=advisory")) {
            new ContractClient(store).granted(exclusive("job").by("one"));
        }
        Servers.postgres().execute("DROP TABLE " + table + "_setting, " + table + "_note");
        Servers.postgres().execute("UPDATE " + table + "_schema SET version = 1");
        assertThatThrownBy(() -> SqlFixture.openUrl(url)).hasMessageContaining("holdfast=advisory");
        try (LockStore store = SqlFixture.openUrl(url + "&holdfast=advisory")) {
            Claim later = exclusive("other").by("two").claim();
            assertThat(new ContractClient(store).granted(later).token()).isPositive();
        }
    }

    private static void excludeEachOther(String first, String second) throws Exception {
        try (LockStore one = SqlFixture.openUrl(first);
                LockStore two = SqlFixture.openUrl(second)) {
            Claim held = exclusive("job").by("one").claim();
            new ContractClient(one).granted(held);
            new ContractClient(two).refused(exclusive("job").by("two"));
            new ContractClient(one).released(held);
            new ContractClient(two).granted(exclusive("job").by("two-again"));
        }
    }
}
