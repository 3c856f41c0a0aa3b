package io.holdfast.sql.postgres;

import io.holdfast.sql.Servers;
import io.holdfast.sql.session.SessionLockContract;
import io.holdfast.sql.session.SessionLockStore;
import io.holdfast.tck.StoreFixture;
import org.junit.jupiter.api.Tag;

/** The contract of stores, on advisory locks of PostgreSQL: {@link SessionLockStore}. */
@Tag("slow")
final class PostgresAdvisoryContractTest extends SessionLockContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onPostgres("&holdfast=advisory&holdfast.poolSize=90");
    }
}
