package io.holdfast.sql.postgres;

import io.holdfast.sql.Servers;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.store.WatchableStoreContract;

/** The contract of stores with hints, on lease rows in PostgreSQL: {@link PostgresLeaseStore}. */
final class PostgresLeaseStoreContractTest extends WatchableStoreContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onPostgres("");
    }
}
