package io.holdfast.sql;

import io.holdfast.tck.StoreFixture;
import org.junit.jupiter.api.Tag;

/** The contract of stores, on row locks of MySQL: {@link SessionLockStore}. */
@Tag("slow")
final class MySqlRowLockContractTest extends SessionLockContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onMySql("&holdfast=rowlock&holdfast.poolSize=90");
    }
}
