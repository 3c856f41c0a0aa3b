package io.holdfast.sql.mariadb;

import io.holdfast.sql.Servers;
import io.holdfast.sql.session.SessionLockContract;
import io.holdfast.sql.session.SessionLockStore;
import io.holdfast.tck.StoreFixture;
import org.junit.jupiter.api.Tag;

/** The contract of stores, on GET_LOCK of MariaDB: {@link SessionLockStore}. */
@Tag("slow")
final class MariaDbAdvisoryContractTest extends SessionLockContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onMariaDb("&holdfast=advisory&holdfast.poolSize=90");
    }
}
