package io.holdfast.sql.mariadb;

import io.holdfast.sql.Servers;
import io.holdfast.sql.session.SessionLockContract;
import io.holdfast.sql.session.SessionLockStore;
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
