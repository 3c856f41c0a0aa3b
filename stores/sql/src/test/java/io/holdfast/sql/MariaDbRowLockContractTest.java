package io.holdfast.sql;

import io.holdfast.tck.StoreFixture;
import org.junit.jupiter.api.Tag;

/** The contract of stores, on row locks of MariaDB: {@link SessionLockStore}. */
@Tag("slow")
final class MariaDbRowLockContractTest extends SessionLockContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onMariaDb("&holdfast=rowlock&holdfast.poolSize=90");
    }
}
