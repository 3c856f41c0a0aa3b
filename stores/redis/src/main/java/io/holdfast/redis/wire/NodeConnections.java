package io.holdfast.redis.wire;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import java.net.SocketAddress;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * Follows the connections of a cluster's client. The client reports every connection that ends, also those that its
 * topology refresh opens and closes twice a minute and those that the application closes; only a connection that broke
 * while it was wanted says that a node is out of reach.
 */
final class NodeConnections implements RedisConnectionStateListener {
    private final SupervisedConnection.Listener listener;
    /** Those that broke and are not back. Guarded by this. */
    private final Set<RedisChannelHandler<?, ?>> broken = Collections.newSetFromMap(new WeakHashMap<>());

    NodeConnections(SupervisedConnection.Listener listener) {
        this.listener = listener;
    }

    @Override
    public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
        boolean news;
        synchronized (this) {
            // After a failover it is another connection that replaces the broken one.
            news = !broken.isEmpty();
            broken.remove(connection);
            broken.removeIf(RedisChannelHandler::isClosed);
        }
        if (news) {
            listener.up();
        }
    }

    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
        if (connection.isClosed()) {
            return;
        }
        synchronized (this) {
            broken.add(connection);
        }
        listener.down();
    }
}
