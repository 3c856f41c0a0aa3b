package io.holdfast.zookeeper.session;

import io.holdfast.StoreUnavailableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

/** Opens connected clients of ZooKeeper: new ones by the store's configuration, or one that the application passed in. */
public interface Connector {
    /**
     * A connected client, whose session was asked to last for {@code timeout}. Waits for the connection.
     *
     * @throws StoreUnavailableException if there is no connection within {@code patience}
     */
    Connection open(Duration timeout, Duration patience);

    /** Whether clients are the store's own: it may drop their connection, close them, and open others. */
    boolean owns();

    /**
     * A client with its connection events.
     *
     * @param zk the client
     * @param events where its session hears of the connection
     * @param owned whether the client is the store's own
     */
    record Connection(ZooKeeper zk, ConnectionEvents events, boolean owned) {
        /** Ends the client and its session, if it is the store's own. */
        void close() {
            if (owned) {
                try {
                    zk.close();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    /**
     * New clients.
     *
     * @param servers as ZooKeeper's client takes them
     * @param config of ZooKeeper's client
     * @param credentials of the scheme {@code digest}; null for none
     * @param location the store, for messages
     */
    static Connector own(String servers, ZKClientConfig config, @Nullable String credentials, String location) {
        return new Connector() {
            @Override
            public Connection open(Duration timeout, Duration patience) {
                ConnectionEvents events = new ConnectionEvents();
                DetachableZooKeeper zk;
                try {
                    zk = new DetachableZooKeeper(servers, timeout, events, config);
                } catch (IOException e) {
                    throw new StoreUnavailableException("store " + location + " cannot be opened", false, e);
                }
                if (credentials != null) {
                    zk.addAuthInfo("digest", credentials.getBytes(StandardCharsets.UTF_8));
                }
                if (!events.awaitConnected(patience)) {
                    zk.detach();
                    throw new StoreUnavailableException(
                            "store " + location + " cannot be reached: no connection within " + patience.toMillis()
                                    + " ms; are the servers and the port right?",
                            false,
                            null);
                }
                return new Connection(zk, events, true);
            }

            @Override
            public boolean owns() {
                return true;
            }
        };
    }

    /** A client that the application opened and closes. It has one session, so it can be used once. */
    static Connector over(ZooKeeper zk, String location) {
        return new Connector() {
            private boolean used;

            @Override
            public synchronized Connection open(Duration timeout, Duration patience) {
                if (used || !zk.getState().isConnected()) {
                    throw new StoreUnavailableException(
                            "store " + location + ": the session of the client that was passed in is "
                                    + (used ? "over" : "not connected") + "; open a new client and a new store",
                            false,
                            null);
                }
                used = true;
                return new Connection(zk, new ConnectionEvents(), false);
            }

            @Override
            public boolean owns() {
                return false;
            }
        };
    }
}
