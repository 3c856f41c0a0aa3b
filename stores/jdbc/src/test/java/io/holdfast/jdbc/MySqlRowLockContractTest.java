package io.holdfast.jdbc;

import io.holdfast.tck.StoreFixture;

/** The contract of stores, on row locks of MySQL: {@link SessionLockStore}. */
final class MySqlRowLockContractTest extends SessionLockContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onMySql("&holdfast=rowlock&holdfast.poolSize=90");
    }
}
