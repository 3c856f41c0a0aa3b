package io.holdfast.sql;

import io.holdfast.tck.LockStoreContract;
import io.holdfast.tck.StoreFixture;

/** The contract of stores, on lease rows in H2: {@link ServerLeaseStore}. */
final class H2ContractTest extends LockStoreContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onH2();
    }
}
