/** Locks in Redis. */
module io.holdfast.redis {
    requires transitive io.holdfast.core;
    requires transitive lettuce.core;
    requires io.holdfast.guard.redis;
    requires io.netty.buffer;
    // Lettuce is an automatic module and cannot name these; without them it does not start.
    requires io.netty.handler;
    requires io.netty.resolver.dns;
    requires static org.jspecify;

    exports io.holdfast.redis;
    exports io.holdfast.redis.wire to
            io.holdfast.redlock;

    provides io.holdfast.spi.StoreProvider with
            io.holdfast.redis.RedisStoreProvider;
}
