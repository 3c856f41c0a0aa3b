/** Locks in Redis. */
module io.holdfast.redis {
    requires transitive io.holdfast.core;
    requires transitive lettuce.core;
    requires io.holdfast.guard.redis;
    requires io.netty.buffer;
    requires static org.jspecify;

    exports io.holdfast.redis;
    exports io.holdfast.redis.wire to
            io.holdfast.redlock;

    provides io.holdfast.spi.StoreProvider with
            io.holdfast.redis.RedisStoreProvider;
}
