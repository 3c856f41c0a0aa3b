/** Guards for data in Redis. */
module io.holdfast.guard.redis {
    requires transitive io.holdfast.core;
    requires transitive lettuce.core;
    requires static org.jspecify;

    exports io.holdfast.guard.redis;
    exports io.holdfast.guard.redis.mark to
            io.holdfast.redis;
}
