package io.holdfast.sql.session;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Claim;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.sql.Servers;
import io.holdfast.sql.SqlFixture;
import io.holdfast.tck.ContractClient;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Lease rows beside other sessions: a stranger that keeps a row locked (L7), and other clients that wait (L21). */
@Tag("slow")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class StrangerTest {
    @ParameterizedTest
    @EnumSource(SessionRevocationTest.Server.class)
    void aRowThatAStrangerKeepsLockedEndsNoOtherLease(SessionRevocationTest.Server server) throws Exception {
        String table = Servers.table();
        try (LockStore store = open(server, table);
                Connection stranger = DriverManager.getConnection(server.url())) {
            ContractClient client = new ContractClient(store);
            List<Claim> claims = new ArrayList<>();
            for (String name : List.of("a", "b", "c", "d", "e")) {
                Claim claim =
                        exclusive(name).ttl(Duration.ofSeconds(60)).by(name).claim();
                client.granted(claim);
                claims.add(claim);
            }
            stranger.setAutoCommit(false);
            try (Statement statement = stranger.createStatement()) {
                statement.execute("SELECT name FROM " + table + " WHERE name = 'a' FOR UPDATE");
            }

            List<RenewResult> results = ContractClient.answer(store.renew(claims));

            assertThat(results.get(0)).isInstanceOf(RenewResult.Unanswered.class);
            assertThat(results.subList(1, 5)).allMatch(RenewResult.Renewed.class::isInstance);
            stranger.rollback();
            assertThat(ContractClient.answer(store.renew(claims))).allMatch(RenewResult.Renewed.class::isInstance);
        }
    }

    @ParameterizedTest
    @EnumSource(SessionRevocationTest.Server.class)
    void aReleaseAnswersTheLongestPauseOfAnotherClient(SessionRevocationTest.Server server) throws Exception {
        String table = Servers.table();
        try (LockStore store = open(server, table)) {
            ContractClient client = new ContractClient(store);
            Claim held = exclusive("job").by("one").claim();
            client.granted(held);
            client.refused(waiting(exclusive("job").by("two").claim(), "two", 80));
            client.refused(waiting(exclusive("job").by("three").claim(), "three", 120));
            client.refused(waiting(exclusive("job").by("own").claim(), held.clientId(), 900));
            assertThat(client.release(held)).isEqualTo(new ReleaseResult.Released(Duration.ofMillis(120)));

            Claim alone = exclusive("other").by("one-again").claim();
            client.granted(alone);
            assertThat(client.release(alone)).isEqualTo(ReleaseResult.Released.INSTANCE);
        }
    }

    private static Claim waiting(Claim claim, String clientId, long pauseMillis) {
        return new Claim(
                claim.lockName(),
                claim.holder(),
                clientId,
                claim.label(),
                claim.mode(),
                claim.permits(),
                claim.ttl(),
                claim.lockDelay(),
                claim.span(),
                Duration.ofMillis(pauseMillis));
    }

    private static LockStore open(SessionRevocationTest.Server server, String table) {
        return SqlFixture.openUrl(server.url() + "&holdfast.autoCreate=true&holdfast.table=" + table);
    }
}
