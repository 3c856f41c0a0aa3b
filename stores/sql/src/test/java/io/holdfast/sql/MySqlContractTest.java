package io.holdfast.sql;

import io.holdfast.tck.LockStoreContract;
import io.holdfast.tck.StoreFixture;
import org.junit.jupiter.api.Tag;

/** The contract of stores, on lease rows in MySQL: {@link ServerLeaseStore}. */
@Tag("slow")
final class MySqlContractTest extends LockStoreContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onMySql("");
    }
}
