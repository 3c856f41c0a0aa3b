package io.holdfast.sql;

import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.WaitNoteContract;

final class H2WaitNoteTest extends WaitNoteContract {
    @Override
    protected StoreFixture fixture() {
        return Servers.onH2();
    }
}
