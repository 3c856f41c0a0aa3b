package io.holdfast.zookeeper;

import io.holdfast.StoreUnavailableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/** Where sessions come from: new ones by the store's own configuration, or the one of a client that was passed in. */
interface Connector {
    /** A connected client, whose session was asked to last for {@code timeout}, and its ear; waits for the connection. */
    Opened open(Duration timeout, Duration patience);

    /** Whether the client is the store's own: it may drop its connection, close it, and open another. */
    boolean owns();

    /** A client and its ear, to which the session is attached when there is one. */
    record Opened(ZooKeeper zk, Ear ear) {}

    /** New sessions. */
    static Connector own(ZooKeeperConfig config, String location) {
        return new Connector() {
            @Override
            public Opened open(Duration timeout, Duration patience) {
                Ear ear = new Ear();
                KeptZooKeeper zk;
                try {
                    zk = new KeptZooKeeper(config.servers(), timeout, ear, config.clientConfig());
                } catch (IOException e) {
                    throw new StoreUnavailableException("store " + location + " cannot be opened", false, e);
                }
                String credentials = config.credentials();
                if (credentials != null) {
                    zk.addAuthInfo("digest", credentials.getBytes(StandardCharsets.UTF_8));
                }
                if (!ear.awaitConnected(patience)) {
                    zk.leave();
                    throw new StoreUnavailableException(
                            "store " + location + " cannot be reached: no connection within " + patience.toMillis()
                                    + " ms; are the servers and the port right?",
                            false,
                            null);
                }
                return new Opened(zk, ear);
            }

            @Override
            public boolean owns() {
                return true;
            }
        };
    }

    /** The session of a client that the caller opened and closes. */
    static Connector over(ZooKeeper zk, String location) {
        return new Connector() {
            private boolean used;

            @Override
            public synchronized Opened open(Duration timeout, Duration patience) {
                if (used || !zk.getState().isConnected()) {
                    throw new StoreUnavailableException(
                            "store " + location + ": the session of the client that was passed in is "
                                    + (used ? "over" : "not connected") + "; open a new client and a new store",
                            false,
                            null);
                }
                used = true;
                return new Opened(zk, new Ear());
            }

            @Override
            public boolean owns() {
                return false;
            }
        };
    }

    /** Hears of the connection before there is a session to tell, and tells it what it missed. */
    final class Ear implements Watcher {
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

        boolean awaitConnected(Duration patience) {
            try {
                return connected.await(patience.toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }
}
