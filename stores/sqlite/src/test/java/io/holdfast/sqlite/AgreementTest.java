package io.holdfast.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Mode;
import io.holdfast.Revocation;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.support.StoredLeases;
import io.holdfast.tck.Ask;
import io.holdfast.tck.ContractClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The exclusive acquire is decided by one SQL statement, everything else by {@link StoredLeases}. Over random histories
 * both say the same.
 */
final class AgreementTest {
    private static final List<Mode> MODES = List.of(Mode.EXCLUSIVE, Mode.SHARED, Mode.PERMIT);
    private static final List<Duration> TIMES =
            List.of(Duration.ofMillis(100), Duration.ofMillis(700), Duration.ofSeconds(2));

    @TempDir
    Path folder = Path.of("");

    @Test
    void theStatementAndThePureDecisionAgreeOverRandomHistories() throws Exception {
        Lockfile file = new Lockfile(folder.resolve("locks.db"));
        int granted = 0;
        int refused = 0;
        try (EmbeddedLockStore store = file.attached(file.open());
                ConnectionGate reader = new ConnectionGate(
                        file::connect, "reader", new SteeredClock(file.time), SqliteConnection.Use.READ)) {
            ContractClient client = new ContractClient(store);
            for (long seed = 0; seed < 300; seed++) {
                Random random = new Random(seed);
                String name = "job-" + seed;
                history(random, name, file, client);
                Claim claim = ask(random, name, Mode.EXCLUSIVE);
                boolean free = reader.call(
                        StoreInfo.of("", "").ioTimeout().toNanos(),
                        connection -> LeaseRows.read(connection, name).obstacle(claim, file.time.nanos()) == null);

                boolean taken = client.tryAcquire(claim) instanceof Granted;

                assertThat(taken).as("seed %s", seed).isEqualTo(free);
                granted += taken ? 1 : 0;
                refused += taken ? 0 : 1;
            }
        }
        assertThat(granted).isGreaterThan(30);
        assertThat(refused).isGreaterThan(30);
    }

    private static void history(Random random, String name, Lockfile file, ContractClient client) throws Exception {
        List<Claim> claims = new ArrayList<>();
        int steps = random.nextInt(12);
        for (int i = 0; i < steps; i++) {
            int step = random.nextInt(10);
            if (step < 4) {
                Claim claim = ask(random, name, MODES.get(random.nextInt(MODES.size())));
                client.tryAcquire(claim);
                claims.add(claim);
            } else if (step == 4) {
                client.revoke(name, random.nextBoolean() ? Revocation.NOW : Revocation.AT_LEASE_END);
            } else if (step < 7) {
                file.time.elapse(TIMES.get(random.nextInt(TIMES.size())));
            } else if (!claims.isEmpty()) {
                Claim some = claims.get(random.nextInt(claims.size()));
                if (step == 7) {
                    client.renew(some);
                } else {
                    client.release(some);
                }
            }
        }
    }

    private static Claim ask(Random random, String name, Mode mode) {
        return new Ask(
                        name,
                        "c",
                        mode,
                        mode == Mode.PERMIT ? 1 + random.nextInt(3) : 1,
                        TIMES.get(random.nextInt(TIMES.size())).multipliedBy(2),
                        random.nextBoolean() ? Duration.ZERO : Duration.ofSeconds(1),
                        1 + random.nextInt(4))
                .claim();
    }
}
