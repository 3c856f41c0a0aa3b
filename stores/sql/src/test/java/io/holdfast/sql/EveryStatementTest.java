package io.holdfast.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.Mode;
import io.holdfast.Revocation;
import io.holdfast.Sequencer;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.MarkResult;
import io.holdfast.spi.MarkingStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import io.holdfast.sql.FaultyConnections.Fate;
import io.holdfast.sql.config.SqlConfig;
import io.holdfast.sql.connection.DriverSource;
import io.holdfast.sql.connection.KeptConnection;
import io.holdfast.sql.database.Database;
import io.holdfast.sql.rows.LeaseRows;
import io.holdfast.tck.Ask;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.TestTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every verb, with a failure at its first round trip, at its second, and so on until there is none left to fail: cut
 * before the database heard of it, cut after it acted, and given up as a deadlock victim. Whatever was answered is true,
 * a failure is a {@link StoreUnavailableException}, and the repeat leaves what one undisturbed verb would have left.
 */
@Tag("slow")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class EveryStatementTest {
    private static final int MOST_STATEMENTS = 50;

    /** Where, and how locks are held there. */
    enum Store {
        POSTGRES_ROWS("postgres", "lease"),
        POSTGRES_ADVISORY("postgres", "advisory"),
        POSTGRES_ROWLOCK("postgres", "rowlock"),
        MARIADB_ROWS("mariadb", "lease"),
        MARIADB_ADVISORY("mariadb", "advisory"),
        MARIADB_ROWLOCK("mariadb", "rowlock"),
        MYSQL_ROWS("mysql", "lease"),
        MYSQL_ADVISORY("mysql", "advisory"),
        MYSQL_ROWLOCK("mysql", "rowlock"),
        H2_ROWS("h2", "lease");

        private final String where;
        private final String mode;

        Store(String where, String mode) {
            this.where = where;
            this.mode = mode;
        }

        boolean bySession() {
            return !mode.equals("lease");
        }

        String url() {
            String base = switch (where) {
                case "postgres" -> Servers.postgres().url() + "&";
                case "mariadb" -> Servers.mariaDb().url() + "&";
                case "mysql" -> Servers.mySql().url() + "&";
                default -> "jdbc:h2:mem:every;DB_CLOSE_DELAY=-1?";
            };
            return base + "holdfast.autoCreate=true&holdfast.listen=false&holdfast=" + mode;
        }
    }

    /** A store whose connections fail when told to, and another that looks at what is true. */
    private static final class Bench implements AutoCloseable {
        final FaultyConnections connections;
        final LockStore store;
        final LockStore other;
        final ContractClient client;
        final ContractClient witness;
        final LeaseRows rows;
        boolean hit;

        Bench(Store kind) {
            String url = kind.url() + "&holdfast.table=" + Servers.table();
            other = SqlFixture.openUrl(url);
            witness = new ContractClient(other);
            StoreUrl parsed = StoreUrl.parse(url);
            SqlConfig config = SqlConfig.of(parsed, new StoreProvider.Settings("", Duration.ofSeconds(30)));
            Database database = Databases.of(parsed);
            rows = database.rows(config, "");
            String location = "the database under test";
            DriverSource source =
                    new DriverSource(SqlStoreProvider.driverUrl(parsed), database.properties(config), location);
            connections = new FaultyConnections(source::getConnection);
            store = new StoreAssembly(
                            database,
                            config,
                            location,
                            new KeptConnection(connections::open, location),
                            connections::open,
                            false)
                    .open();
            client = new ContractClient(store);
        }

        /** The verb with this fault; null if it failed. */
        <T> @Nullable T disturbed(int n, Fate fate, Supplier<CompletionStage<T>> verb) throws Exception {
            connections.failAt(n, fate);
            try {
                return ContractClient.answer(verb.get());
            } catch (StoreUnavailableException e) {
                assertThat(fate).as("a victim is repeated: %s", e.getMessage()).isNotEqualTo(Fate.VICTIM);
                assertThat(e.outcomeUnknown()).as(e.getMessage()).isTrue();
                return null;
            } finally {
                hit |= connections.disarm();
            }
        }

        /** The lock is free, at the latest when the database has noticed the end of a session; the witness has it once. */
        long passesOn(String name) throws Exception {
            Claim claim = Ask.exclusive(name).claim();
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(5))
                    .atMost(TestTime.patience())
                    .until(() -> witness.tryAcquire(claim) instanceof Granted);
            long token = witness.status(name).lastToken();
            witness.released(claim);
            return token;
        }

        @Override
        public void close() {
            store.close();
            other.close();
        }
    }

    private interface Round {
        void run(int n, Fate fate) throws Exception;
    }

    /** As long as there is one more round trip to disturb. */
    private static void each(Bench bench, Round round) throws Exception {
        for (Fate fate : Fate.values()) {
            for (int n = 1; ; n++) {
                assertThat(n).as("round trips of one verb").isLessThan(MOST_STATEMENTS);
                bench.hit = false;
                round.run(n, fate);
                if (!bench.hit) {
                    break;
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRES_ROWS", "MARIADB_ROWS", "MYSQL_ROWS", "H2_ROWS"})
    void anUncontendedLockIsAsFewStatementsAsTheDatabaseAllows(Store kind) throws Exception {
        try (Bench bench = new Bench(kind)) {
            for (int i = 0; i < 3; i++) {
                bench.connections.failAt(Integer.MAX_VALUE, Fate.VICTIM);
                Claim claim = Ask.exclusive("count").claim();
                bench.client.granted(claim);
                bench.client.released(claim);
            }
            assertThat(bench.connections.roundTrips()).isEqualTo(kind == Store.POSTGRES_ROWS ? 2 : 3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anAcquireIsGrantedOrUndoneByItsRelease(Store kind) throws Exception {
        try (Bench bench = new Bench(kind)) {
            Claim first = Ask.exclusive("a").claim();
            bench.client.granted(first);
            bench.client.released(first);
            long[] last = {0};
            each(bench, (n, fate) -> {
                for (String name : List.of("a", "new-" + fate + n)) {
                    Claim claim = Ask.exclusive(name).claim();
                    AcquireResult result = bench.disturbed(n, fate, () -> bench.store.tryAcquire(claim));
                    if (result != null) {
                        assertThat(result).isInstanceOf(Granted.class);
                        assertThat(bench.witness.holders(name)).hasSize(1);
                        bench.client.renewed(claim);
                        bench.client.released(claim);
                    } else {
                        bench.client.release(claim);
                    }
                    long token = bench.passesOn(name);
                    assertThat(token).isGreaterThan(name.equals("a") ? last[0] : 0);
                    last[0] = name.equals("a") ? token : last[0];
                }
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRenewalThatFailsIsRepeatedOrTheLeaseIsOver(Store kind) throws Exception {
        try (Bench bench = new Bench(kind)) {
            each(bench, (n, fate) -> {
                String name = "b-" + fate + n;
                Claim claim = Ask.exclusive(name).claim();
                bench.client.granted(claim);
                List<RenewResult> results = bench.disturbed(n, fate, () -> bench.store.renew(List.of(claim)));
                RenewResult result = results == null ? bench.client.renew(claim) : results.get(0);
                if (result instanceof RenewResult.Renewed) {
                    bench.witness.refused(Ask.exclusive(name));
                    bench.client.released(claim);
                } else {
                    assertThat(kind.bySession())
                            .as("a row outlives its connection")
                            .isTrue();
                    assertThat(result).isInstanceOf(RenewResult.Lost.class);
                }
                bench.passesOn(name);
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void aReleaseThatFailsIsRepeatedAndTheLockIsFree(Store kind) throws Exception {
        try (Bench bench = new Bench(kind)) {
            each(bench, (n, fate) -> {
                String name = "c-" + fate + n;
                Claim claim = Ask.exclusive(name).claim();
                bench.client.granted(claim);
                ReleaseResult result = bench.disturbed(n, fate, () -> bench.store.release(claim));
                if (result == null) {
                    assertThat(bench.client.release(claim)).isNotNull();
                } else if (!kind.bySession()) {
                    assertThat(result).isInstanceOf(ReleaseResult.Released.class);
                }
                bench.passesOn(name);
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void anInspectionChangesNothing(Store kind) throws Exception {
        try (Bench bench = new Bench(kind)) {
            Claim claim = Ask.exclusive("d").claim();
            bench.witness.granted(claim);
            each(bench, (n, fate) -> {
                for (LockQuery query : List.of(LockQuery.name("d"), LockQuery.prefix("d", 5))) {
                    bench.disturbed(n, fate, () -> bench.store.inspect(query));
                    assertThat(ContractClient.answer(bench.store.inspect(query)))
                            .singleElement()
                            .satisfies(status -> assertThat(status.holders()).hasSize(1));
                }
                bench.witness.renewed(claim);
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRevocationThatFailsIsRepeatedAndTheHolderHasLost(Store kind) throws Exception {
        try (Bench bench = new Bench(kind)) {
            each(bench, (n, fate) -> {
                String name = "e-" + fate + n;
                Claim claim = Ask.exclusive(name).claim();
                bench.witness.granted(claim);
                RevokeResult result = bench.disturbed(n, fate, () -> bench.store.revoke(name, Revocation.NOW));
                if (result == null) {
                    bench.client.revoke(name, Revocation.NOW);
                }
                bench.witness.lost(claim);
                bench.passesOn(name);
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void aMarkThatFailsIsRepeatedAndHolds(Store kind) throws Exception {
        try (Bench bench = new Bench(kind)) {
            each(bench, (n, fate) -> {
                String resource = "f-" + fate + n;
                Sequencer older = new Sequencer("job", Mode.EXCLUSIVE, 33);
                Sequencer newer = new Sequencer("job", Mode.EXCLUSIVE, 34);
                MarkingStore marks = (MarkingStore) bench.store;
                MarkResult result = bench.disturbed(n, fate, () -> marks.admit(resource, newer));
                if (result == null) {
                    result = ContractClient.answer(marks.admit(resource, newer));
                }
                assertThat(result).isInstanceOf(MarkResult.Admitted.class);
                assertThat(ContractClient.answer(marks.admit(resource, older))).isInstanceOf(MarkResult.Stale.class);
            });
        }
    }

    /** Before each of its statements somebody else takes the lock, or its only permit; and the statement says that it wrote. */
    @ParameterizedTest(name = "U12: on {0} a grant is what the row says")
    @EnumSource(names = {"POSTGRES_ROWS", "MARIADB_ROWS", "MYSQL_ROWS", "H2_ROWS"})
    void aGrantIsBelievedBecauseOfTheRowAndNeverBecauseOfACount(Store kind) throws Exception {
        for (boolean permit : new boolean[] {false, true}) {
            try (Bench bench = new Bench(kind)) {
                boolean before = true;
                for (int n = 1; before; n++) {
                    assertThat(n).as("round trips of one verb").isLessThan(MOST_STATEMENTS);
                    Ask ask = permit ? Ask.permit("g-" + n, 1) : Ask.exclusive("g-" + n);
                    if (n % 2 == 0) {
                        bench.passesOn("g-" + n); // a row that is there already
                    }
                    List<AcquireResult> others = new ArrayList<>();
                    bench.connections.overtakeAt(
                            n,
                            () -> others.add(
                                    bench.witness.tryAcquire(ask.by("b").claim())));
                    AcquireResult mine = bench.client.tryAcquire(ask.by("a").claim());
                    before = bench.connections.disarm();

                    assertThat(others).hasSize(before ? 1 : 0);
                    others.add(mine);
                    assertThat(others.stream().filter(Granted.class::isInstance))
                            .hasSize(1);
                    assertThat(bench.witness.holders("g-" + n)).hasSize(1);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRES_ROWS", "MARIADB_ROWS", "MYSQL_ROWS", "H2_ROWS"})
    void aSweepThatFailsDeletesNothingThatIsHeld(Store kind) throws Exception {
        try (Bench bench = new Bench(kind)) {
            Claim held = Ask.exclusive("g-held").claim();
            bench.witness.granted(held);
            each(bench, (n, fate) -> {
                bench.connections.failAt(n, fate);
                try (Connection connection = bench.connections.open()) {
                    bench.rows.sweep(connection, "", 100);
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).isIn("08006", "40P01");
                }
                bench.hit = bench.connections.disarm();
                bench.witness.renewed(held);
            });
        }
    }
}
