/** Locks by a majority of independent Redis servers. */
module io.holdfast.redlock {
    requires transitive io.holdfast.core;
    requires transitive lettuce.core;
    requires io.holdfast.redis;
    requires io.netty.buffer;
    requires io.netty.common;
    requires static org.jspecify;

    exports io.holdfast.redlock;

    provides io.holdfast.spi.StoreProvider with
            io.holdfast.redlock.RedlockStoreProvider;
}
