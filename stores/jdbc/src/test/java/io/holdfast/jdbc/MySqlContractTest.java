package io.holdfast.jdbc;

import io.holdfast.tck.LockStoreContract;
import io.holdfast.tck.StoreFixture;

/** The contract of stores, on lease rows in MySQL: {@link ServerLeaseStore}. */
final class MySqlContractTest extends LockStoreContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onMySql("");
    }
}
