package io.holdfast.engine.client;

import io.holdfast.LossReason;
import io.holdfast.engine.lease.LeaseKeeper;
import io.holdfast.engine.runtime.StoreCalls;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.StoreSignals;

/** What a store tells its client without being asked. */
record ClientSignals(StoreCalls calls, LeaseKeeper keeper) implements StoreSignals {
    @Override
    public void lost(HolderId holder, LossReason reason) {
        keeper.lost(holder, reason);
    }

    @Override
    public void disconnected() {
        calls.disconnected();
        keeper.disconnected();
    }

    @Override
    public void connected() {
        calls.reached();
        keeper.connected();
    }
}
