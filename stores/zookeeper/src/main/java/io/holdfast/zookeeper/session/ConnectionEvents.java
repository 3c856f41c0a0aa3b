package io.holdfast.zookeeper.session;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * Receives the connection events of a client from its start on, and passes them to its {@link Session} as soon as there is
 * one. The last event before that is passed on too. Thread-safe.
 */
final class ConnectionEvents implements Watcher {
    private final CountDownLatch connected = new CountDownLatch(1);
    private @Nullable Session session;
    private @Nullable WatchedEvent missed;

    @Override
    public void process(WatchedEvent event) {
        Session listening;
        synchronized (this) {
            listening = session;
            if (listening == null) {
                missed = event;
            }
        }
        if (event.getState() == Event.KeeperState.SyncConnected) {
            connected.countDown();
        }
        if (listening != null) {
            listening.process(event);
        }
    }

    void attach(Session value) {
        WatchedEvent last;
        synchronized (this) {
            session = value;
            last = missed;
        }
        if (last != null && last.getState() != Event.KeeperState.SyncConnected) {
            value.process(last);
        }
    }

    /** Waits for the connection; false if there is none in time, or if the thread is interrupted. */
    boolean awaitConnected(Duration patience) {
        try {
            return connected.await(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
