package io.holdfast.etcd;

import io.holdfast.spi.Granted;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Ticket;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** A place in the line, as the engine sees it. */
final class EtcdTicket implements Ticket {
    private final EtcdLockStore store;
    private final Place place;

    EtcdTicket(EtcdLockStore store, Place place) {
        this.store = store;
        this.place = place;
    }

    @Override
    public CompletionStage<Granted> granted() {
        return place.granted;
    }

    @Override
    public CompletionStage<ReleaseResult> cancel() {
        return store.release(place.claim);
    }

    @Override
    public void extend(Duration wait) {
        store.extend(place, wait);
    }
}
