package io.holdfast.sql.postgres;

import io.holdfast.sql.Servers;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.store.WaitNoteContract;

final class PostgresWaitNoteTest extends WaitNoteContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onPostgres("");
    }
}
