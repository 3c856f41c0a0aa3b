package io.holdfast.sql.mariadb;

import io.holdfast.sql.Servers;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.store.WaitNoteContract;

final class MariaDbWaitNoteTest extends WaitNoteContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onMariaDb("");
    }
}
