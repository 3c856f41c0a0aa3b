package io.holdfast.etcd;

import io.holdfast.Scheduler;
import io.holdfast.spi.StoreContext;
import org.jspecify.annotations.Nullable;

/** The client's clock and timers, once the store is attached. */
final class Clock {
    private volatile @Nullable StoreContext context;

    void attach(StoreContext value) {
        context = value;
    }

    long nanos() {
        return attached().ticker().nanos();
    }

    Scheduler.Timer after(long nanos, Runnable task) {
        return attached().scheduler().schedule(task, Math.max(0, nanos));
    }

    StoreContext attached() {
        StoreContext attached = context;
        if (attached == null) {
            throw new IllegalStateException("this store is not attached to a client: call attach first");
        }
        return attached;
    }
}
