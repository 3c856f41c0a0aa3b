package io.holdfast.jdbc;

import io.holdfast.tck.EngineContract;
import io.holdfast.tck.StoreFixture;
import org.junit.jupiter.api.parallel.Isolated;

/** The engine over lease rows in PostgreSQL, with other processes, through the blocking API. */
@Isolated("it looks for threads that clients left behind, and must not see those of other tests")
final class PostgresEngineTest extends EngineContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onPostgres("");
    }
}
