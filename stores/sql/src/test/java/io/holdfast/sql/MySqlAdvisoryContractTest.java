package io.holdfast.sql;

import io.holdfast.tck.StoreFixture;
import org.junit.jupiter.api.Tag;

/** The contract of stores, on GET_LOCK of MySQL: {@link SessionLockStore}. */
@Tag("slow")
final class MySqlAdvisoryContractTest extends SessionLockContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onMySql("&holdfast=advisory&holdfast.poolSize=90");
    }
}
