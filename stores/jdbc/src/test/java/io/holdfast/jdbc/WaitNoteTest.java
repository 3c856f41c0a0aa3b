package io.holdfast.jdbc;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.tck.Ask;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.StoreFixture;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** S11, L21: on every store of rows a release answers the longest pause that another waiting client has noted. */
@Tag("slow")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class WaitNoteTest {
    private static final Duration LONG = Duration.ofMillis(700);
    private static final Duration SHORT = Duration.ofMillis(120);

    @TempDir
    static Path folder = Path.of("");

    static Stream<Arguments> stores() {
        return Stream.of(
                store("SQLite", () -> EmbeddedFixture.real(folder.resolve(Servers.table()))),
                store("PostgreSQL", () -> Servers.onPostgres("")),
                store("MariaDB", () -> Servers.onMariaDb("")),
                store("MySQL", () -> Servers.onMySql("")),
                store("H2", Servers::onH2));
    }

    private static Arguments store(String name, Supplier<StoreFixture> fixture) {
        return Arguments.of(Named.of(name, fixture));
    }

    /** A claim of a client that waits. */
    static Claim waiting(String name, String client, Duration pause) {
        return with(exclusive(name).claim(), client, pause);
    }

    private static Claim with(Claim claim, String client, Duration pause) {
        return new Claim(
                claim.lockName(),
                claim.holder(),
                client,
                claim.label(),
                claim.mode(),
                claim.permits(),
                claim.ttl(),
                claim.lockDelay(),
                claim.span(),
                pause);
    }

    @ParameterizedTest
    @MethodSource("stores")
    void aReleaseAnswersTheLongestPauseOfOtherClients(Supplier<StoreFixture> world) throws Exception {
        try (StoreFixture fixture = world.get();
                LockStore store = fixture.open("one")) {
            ContractClient client = new ContractClient(store);
            Claim held = waiting("job", "holder", Duration.ZERO);
            client.granted(held);
            client.refused(waiting("job", "holder", Duration.ofMillis(900)));
            client.refused(waiting("job", "patient", LONG));
            client.refused(waiting("job", "hasty", SHORT));
            client.refused(waiting("job", "try", Duration.ZERO));
            client.refused(waiting("job", "hasty", SHORT));

            assertThat(standBack(client, held)).isEqualTo(LONG);
        }
    }

    /** The last note of a client counts, and a note keeps no claim out. */
    @ParameterizedTest
    @MethodSource("stores")
    void aNoteIsReplacedByTheNextOneAndClosesNothing(Supplier<StoreFixture> world) throws Exception {
        try (StoreFixture fixture = world.get();
                LockStore store = fixture.open("one")) {
            ContractClient client = new ContractClient(store);
            Claim held = waiting("job", "holder", Duration.ZERO);
            client.granted(held);
            client.refused(waiting("job", "patient", LONG));
            client.refused(waiting("job", "patient", SHORT));
            assertThat(standBack(client, held)).isEqualTo(SHORT);

            Claim other = waiting("job", "other", Duration.ZERO);
            assertThat(client.tryAcquire(other)).isInstanceOf(Granted.class);
            assertThat(standBack(client, waiting("elsewhere", "holder", Duration.ZERO), client))
                    .isZero();
            client.released(other);
        }
    }

    @ParameterizedTest
    @MethodSource("stores")
    void aSharedHolderIsAnsweredTheSameAndANoteOfAnotherNameIsNot(Supplier<StoreFixture> world) throws Exception {
        try (StoreFixture fixture = world.get();
                LockStore store = fixture.open("one")) {
            ContractClient client = new ContractClient(store);
            Claim reader = with(Ask.shared("data").claim(), "reader", Duration.ZERO);
            client.granted(reader);
            client.refused(waiting("data", "writer", LONG));
            Claim other = waiting("data2", "holder", Duration.ZERO);
            client.granted(other);

            assertThat(standBack(client, reader)).isEqualTo(LONG);
            assertThat(standBack(client, other)).isZero();
        }
    }

    private static Duration standBack(ContractClient client, Claim claim, ContractClient acquirer) throws Exception {
        acquirer.granted(claim);
        return standBack(client, claim);
    }

    private static Duration standBack(ContractClient client, Claim claim) throws Exception {
        ReleaseResult result = client.release(claim);
        assertThat(result).isInstanceOf(ReleaseResult.Released.class);
        return ((ReleaseResult.Released) result).standBack();
    }
}
