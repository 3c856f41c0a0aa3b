package io.holdfast.sql.h2;

import io.holdfast.sql.Servers;
import io.holdfast.sql.rows.LeaseRowStore;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.store.LockStoreContract;

/** The contract of stores, on lease rows in H2: {@link LeaseRowStore}. */
final class H2ContractTest extends LockStoreContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onH2();
    }
}
