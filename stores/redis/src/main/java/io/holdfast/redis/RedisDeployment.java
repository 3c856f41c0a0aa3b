package io.holdfast.redis;

import io.holdfast.redis.claim.CallContext;
import io.holdfast.redis.claim.LockKeys;
import io.holdfast.redis.claim.Replication;
import io.holdfast.redis.wire.Connector;
import io.holdfast.redis.wire.SupervisedConnection;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreInfo;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a store to its deployment of Redis: one for calls and, with {@code replicas=}, one for what has to
 * reach replicas. Tells the engine when the deployment is out of reach. Thread-safe.
 */
final class RedisDeployment implements SupervisedConnection.Listener {
    private final Connector connector;
    private final RedisConfig config;
    private final StoreInfo info;
    private final SupervisedConnection connection;
    private final @Nullable SupervisedConnection replicating;
    private volatile @Nullable StoreContext context;
    private volatile Runnable reconnected = () -> {};
    private volatile boolean open = true;

    RedisDeployment(Connector connector, RedisConfig config, String location) {
        this.connector = connector;
        this.config = config;
        this.info = StoreInfo.of("redis", location)
                .withIoTimeout(config.ioTimeout())
                .withPauses(config.pauseMin(), config.pauseRandom());
        ServerCheck check = new ServerCheck(connector, location, config);
        this.connection = new SupervisedConnection(connector, location, config.ioTimeout(), check, this);
        this.replicating = config.replicas() == 0
                ? null
                : new SupervisedConnection(connector, location, config.ioTimeout(), check, this);
    }

    /**
     * Connects; the servers are looked at before a connection is used. If that fails everything is closed.
     *
     * @throws IllegalArgumentException if another address or option is needed
     */
    void open() {
        try {
            if (config.replicas() > 0 && connector.sharded()) {
                throw new IllegalArgumentException(
                        "option replicas: WAIT answers for the connection that wrote, and the connection to a cluster"
                                + " chooses one for each call; leave it out and set min-replicas-to-write on the nodes,"
                                + " or use one primary with redis-sentinel://");
            }
            connection.open();
            if (replicating != null) {
                replicating.open();
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** For calls about claims. */
    CallContext calls() {
        return new CallContext(
                new LockKeys(config.namespace()),
                connection,
                replicating == null ? null : new Replication(replicating, config.replicas()),
                this::nanos,
                config.ioTimeout());
    }

    Connector connector() {
        return connector;
    }

    StoreInfo info() {
        return info;
    }

    void attach(StoreContext value) {
        context = value;
    }

    /** {@code task} runs each time the deployment can be reached again. */
    void whenReconnected(Runnable task) {
        reconnected = task;
    }

    boolean isOpen() {
        return open;
    }

    void close() {
        if (open) {
            open = false;
            connection.close();
            if (replicating != null) {
                replicating.close();
            }
            connector.close();
        }
    }

    @Override
    public void down() {
        StoreContext attached = context;
        if (attached != null && open) {
            attached.signals().disconnected();
        }
    }

    @Override
    public void up() {
        StoreContext attached = context;
        if (attached != null && open) {
            attached.signals().connected();
        }
        reconnected.run();
    }

    private long nanos() {
        StoreContext attached = context;
        if (attached == null) {
            throw new IllegalStateException("this store is not attached to a client: call attach first");
        }
        return attached.ticker().nanos();
    }
}
