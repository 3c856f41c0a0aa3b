package io.holdfast.jdbc;

import io.holdfast.tck.LockStoreContract;
import io.holdfast.tck.StoreFixture;

/** The contract of stores, on lease rows in MariaDB through MySQL's driver: {@link ServerLeaseStore}. */
final class MySqlDriverContractTest extends LockStoreContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.throughMySqlDriver("");
    }
}
