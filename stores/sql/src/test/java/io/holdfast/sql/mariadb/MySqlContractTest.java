package io.holdfast.sql.mariadb;

import io.holdfast.sql.Servers;
import io.holdfast.sql.rows.LeaseRowStore;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.store.LockStoreContract;
import org.junit.jupiter.api.Tag;

/** The contract of stores, on lease rows in MySQL: {@link LeaseRowStore}. */
@Tag("slow")
final class MySqlContractTest extends LockStoreContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onMySql("");
    }
}
