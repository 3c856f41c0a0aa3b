package io.holdfast.redlock;

import io.holdfast.LossReason;
import io.holdfast.Ticker;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreSignals;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.MachineTime;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ThreadLocalRandom;

/** Opened stores, attached to the machine's time; closes them. */
final class Clients implements AutoCloseable, StoreSignals {
    private final MachineTime time = new MachineTime();
    private final Deque<LockStore> stores = new ArrayDeque<>();

    ContractClient attach(LockStore store) {
        return attach(store, time.ticker());
    }

    /** On a machine with another clock. */
    ContractClient attach(LockStore store, Ticker ticker) {
        stores.push(store);
        store.attach(new StoreContext(
                ticker,
                time.scheduler(),
                Runnable::run,
                () -> ThreadLocalRandom.current().nextLong(),
                this));
        return new ContractClient(store);
    }

    @Override
    public void lost(HolderId holder, LossReason reason) {}

    @Override
    public void disconnected() {}

    @Override
    public void connected() {}

    @Override
    public void close() {
        stores.forEach(LockStore::close);
        time.close();
    }
}
