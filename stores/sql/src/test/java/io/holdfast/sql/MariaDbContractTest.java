package io.holdfast.sql;

import io.holdfast.tck.LockStoreContract;
import io.holdfast.tck.StoreFixture;
import org.junit.jupiter.api.Tag;

/** The contract of stores, on lease rows in MariaDB: {@link ServerLeaseStore}. */
@Tag("slow")
final class MariaDbContractTest extends LockStoreContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onMariaDb("");
    }
}
