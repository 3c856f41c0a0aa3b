package io.holdfast.redis;

import io.holdfast.redis.wire.ClientConnector;
import io.holdfast.redis.wire.ClusterConnector;
import io.holdfast.redis.wire.Connector;
import io.holdfast.spi.Claim;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Exchanged;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Queued;
import io.holdfast.spi.QueueingStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.StoreContext;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Locks in Redis with a queue: a refused claim enters the queue in the same call, and whoever ends a grant hands the
 * lock to the first live waiter inside the script and tells exactly that client. See {@code docs/stores/redis.md}.
 */
public final class RedisLockStore extends RedisPullStore implements QueueingStore {
    private final TicketBook book;

    RedisLockStore(Connector connector, RedisConfig config, String location) {
        super(connector, config, location);
        byte[] id = new byte[12];
        ThreadLocalRandom.current().nextBytes(id);
        this.book = new TicketBook(this, calls.keys().channel(HexFormat.of().formatHex(id)));
    }

    /**
     * Over a client that is open already and that the caller closes. Its connections stay its own: the store opens
     * its own through it.
     *
     * @param client the client; its options stay as they are
     * @param uri where the server, or its Sentinel, is
     * @param namespace separates users of one Redis; empty for none
     */
    public static LockStore over(RedisClient client, RedisURI uri, String namespace) {
        String location = "redis://"
                + (uri.getSentinelMasterId() == null ? uri.getHost() + ":" + uri.getPort() : uri.getSentinelMasterId());
        return opened(ClientConnector.over(client, uri), namespaced(namespace), location);
    }

    /** As {@link #over(RedisClient, RedisURI, String)}, for a cluster. */
    public static LockStore over(RedisClusterClient client, String namespace) {
        return opened(ClusterConnector.over(client), namespaced(namespace), "redis-cluster:");
    }

    static LockStore opened(Connector connector, RedisConfig config, String location) {
        RedisPullStore store = config.pull()
                ? new RedisPullStore(connector, config, location)
                : new RedisLockStore(connector, config, location);
        store.open();
        return store;
    }

    private static RedisConfig namespaced(String namespace) {
        RedisConfig usual = RedisConfig.DEFAULTS;
        return new RedisConfig(
                namespace,
                usual.ioTimeout(),
                usual.pull(),
                usual.pauseMin(),
                usual.pauseRandom(),
                usual.replicas(),
                usual.acceptEviction());
    }

    @Override
    public void attach(StoreContext value) {
        super.attach(value);
        book.attach(value);
    }

    @Override
    public CompletionStage<EnqueueResult> enqueue(Claim claim, Duration wait) {
        long sent = ticker().nanos();
        RedisTicket ticket = book.register(claim, sent, wait);
        return calls.take(claim, wait, book.channel()).handle((reply, failure) -> {
            if (failure != null) {
                book.forget(ticket);
                throw RedisTicket.unwrapped(failure);
            }
            return taken(ticket, reply, sent);
        });
    }

    @Override
    public CompletionStage<Exchanged> exchange(Claim held, Claim next, Duration wait) {
        if (!held.lockName().equals(next.lockName())) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "exchange is within one lock, not '" + held.lockName() + "' for '" + next.lockName() + "'"));
        }
        long sent = ticker().nanos();
        RedisTicket ticket = book.register(next, sent, wait);
        return calls.exchange(held, next, wait, book.channel()).handle((replies, failure) -> {
            if (failure != null) {
                book.forget(ticket);
                throw RedisTicket.unwrapped(failure);
            }
            return new Exchanged(Replies.released(replies[0]), taken(ticket, replies[1], sent));
        });
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        book.forget(claim);
        return calls.release(claim);
    }

    @Override
    public void close() {
        if (isOpen()) {
            book.close();
            super.close();
        }
    }

    @Override
    void cameUp() {
        super.cameUp();
        book.reconnected();
    }

    private EnqueueResult taken(RedisTicket ticket, String reply, long sent) {
        if (Replies.isQueued(reply)) {
            book.queued(ticket, reply, sent);
            return new Queued(ticket, Replies.refused(reply));
        }
        book.forget(ticket);
        if (Replies.isGrant(reply)) {
            Granted grant = Replies.grant(reply, sent);
            ticket.deliver(grant);
            return grant;
        }
        throw withdrawn(ticket.claim());
    }
}
