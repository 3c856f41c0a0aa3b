package io.holdfast.jdbc;

import io.holdfast.tck.StoreFixture;

/** The contract of stores, on GET_LOCK of MariaDB: {@link SessionLockStore}. */
final class MariaDbAdvisoryContractTest extends SessionLockContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onMariaDb("&holdfast=advisory&holdfast.poolSize=90");
    }
}
