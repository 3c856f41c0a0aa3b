package io.holdfast.jdbc;

import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.store.LockStoreContract;

/** The contract of stores, on lease rows in H2: {@link ServerLeaseStore}. */
final class H2ContractTest extends LockStoreContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onH2();
    }
}
