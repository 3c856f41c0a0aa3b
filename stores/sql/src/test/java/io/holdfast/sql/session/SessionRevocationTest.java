package io.holdfast.sql.session;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Revocation;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.RevokeResult;
import io.holdfast.sql.Servers;
import io.holdfast.sql.SqlFixture;
import io.holdfast.tck.ContractClient;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Looking at a row lock locks nothing (U31), and a revocation ends no session that holds another lock (U32). */
@Tag("slow")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class SessionRevocationTest {
    /** The servers. */
    enum Server {
        POSTGRES,
        MARIADB,
        MYSQL;

        String url() {
            return switch (this) {
                case POSTGRES -> Servers.postgres().url();
                case MARIADB -> Servers.mariaDb().url();
                case MYSQL -> Servers.mySql().url();
            };
        }
    }

    @ParameterizedTest
    @EnumSource(Server.class)
    void revokingALockThatIsNotHeldEndsNoSessionOfAnotherLock(Server server) throws Exception {
        String table = Servers.table();
        try (LockStore x = open(server, table);
                LockStore y = open(server, table);
                Connection stranger = DriverManager.getConnection(server.url())) {
            ContractClient holder = new ContractClient(x);
            ContractClient other = new ContractClient(y);
            Claim a = exclusive("a").by("x").claim();
            holder.granted(a);
            holder.released(a);
            Claim b = exclusive("b").by("x2").claim();
            holder.granted(b); // on the connection that held a

            stranger.setAutoCommit(false);
            try (Statement statement = stranger.createStatement();
                    ResultSet row =
                            statement.executeQuery("SELECT name FROM " + table + "_row FOR UPDATE SKIP LOCKED")) {
                assertThat(row.next()).as("the stranger has the row of a").isTrue();
            }
            assertThat(other.revoke("a", Revocation.NOW)).isInstanceOf(RevokeResult.NotHeld.class);

            holder.renewed(b);
            other.refused(exclusive("b").by("y"));
            stranger.rollback();
            assertThat(other.revoke("b", Revocation.NOW)).isInstanceOf(RevokeResult.Revoked.class);
            other.granted(exclusive("b").by("y2"));
        }
    }

    @ParameterizedTest
    @EnumSource(Server.class)
    void lookingAtAFreeLockMakesNoTryFail(Server server) throws Exception {
        String table = Servers.table();
        try (LockStore x = open(server, table);
                LockStore y = open(server, table)) {
            ContractClient taker = new ContractClient(x);
            Claim first = exclusive("a").by("first").claim();
            taker.granted(first);
            taker.released(first);
            AtomicBoolean done = new AtomicBoolean();
            CompletableFuture<Integer> looks = CompletableFuture.supplyAsync(() -> {
                int count = 0;
                while (!done.get()) {
                    y.inspect(LockQuery.name("a")).toCompletableFuture().join();
                    count++;
                }
                return count;
            });
            try {
                for (int i = 0; i < 200; i++) {
                    Claim claim = exclusive("a").by("try-" + i).claim();
                    assertThat(taker.tryAcquire(claim)).isInstanceOf(Granted.class);
                    taker.released(claim);
                }
            } finally {
                done.set(true);
            }
            assertThat(looks.get(1, TimeUnit.MINUTES)).isPositive();
        }
    }

    private static LockStore open(Server server, String table) {
        return SqlFixture.openUrl(server.url() + "&holdfast=rowlock&holdfast.autoCreate=true&holdfast.table=" + table);
    }
}
