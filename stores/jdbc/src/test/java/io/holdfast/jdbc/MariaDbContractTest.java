package io.holdfast.jdbc;

import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.store.LockStoreContract;
import org.junit.jupiter.api.Tag;

/** The contract of stores, on lease rows in MariaDB: {@link ServerLeaseStore}. */
@Tag("slow")
final class MariaDbContractTest extends LockStoreContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onMariaDb("");
    }
}
