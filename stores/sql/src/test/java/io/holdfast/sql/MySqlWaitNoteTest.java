package io.holdfast.sql;

import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.WaitNoteContract;

final class MySqlWaitNoteTest extends WaitNoteContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onMySql("");
    }
}
