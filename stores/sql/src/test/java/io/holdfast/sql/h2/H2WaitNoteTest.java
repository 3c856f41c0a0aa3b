package io.holdfast.sql.h2;

import io.holdfast.sql.Servers;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.store.WaitNoteContract;

final class H2WaitNoteTest extends WaitNoteContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onH2();
    }
}
