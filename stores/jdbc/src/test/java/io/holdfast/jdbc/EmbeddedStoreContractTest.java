package io.holdfast.jdbc;

import io.holdfast.spi.LockStore;
import io.holdfast.tck.LockStoreContract;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.TestTime;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;

/** The contract, on a file of a machine whose clocks the suite moves. */
final class EmbeddedStoreContractTest extends LockStoreContract {
    @TempDir
    Path folder = Path.of("");

    @Override
    protected StoreFixture fixture() {
        Lockfile file = new Lockfile(folder.resolve("locks.db"));
        return new StoreFixture() {
            @Override
            public LockStore open(String clientName) {
                return file.open();
            }

            @Override
            public TestTime time() {
                return file.time;
            }

            @Override
            public Duration shortTtl() {
                return Duration.ofSeconds(1);
            }

            @Override
            public Set<Fault> declines() {
                return Set.of();
            }

            @Override
            public void loseData() throws SQLException {
                file.sql("DELETE FROM holdfast_lock", "DELETE FROM holdfast_share", "DELETE FROM holdfast_bucket");
            }

            @Override
            public void stepWallClock(Duration by) {
                file.time.stepWallClock(by);
            }

            @Override
            public void close() {}
        };
    }
}
