package io.holdfast.sql.postgres;

import io.holdfast.sql.Servers;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.engine.EngineContract;

/** The engine over lease rows in PostgreSQL, with other processes, through the blocking API. */
final class PostgresEngineTest extends EngineContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onPostgres("");
    }
}
