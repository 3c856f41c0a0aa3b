package io.holdfast.jdbc;

import io.holdfast.tck.StoreFixture;

/** The contract of stores, on advisory locks of PostgreSQL: {@link SessionLockStore}. */
final class PostgresAdvisoryContractTest extends SessionLockContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onPostgres("&holdfast=advisory&holdfast.poolSize=90");
    }
}
