package io.holdfast.jdbc;

import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.store.LockStoreContract;
import org.junit.jupiter.api.Tag;

/** The contract of stores, on lease rows in MySQL: {@link ServerLeaseStore}. */
@Tag("slow")
final class MySqlContractTest extends LockStoreContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onMySql("");
    }
}
