package io.holdfast.redis;

import io.holdfast.servers.RedisServer;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.engine.AsyncEngineContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Futures keep the promises of the engine over {@link RedisLockStore}. */
class RedisAsyncEngineTest extends AsyncEngineContract {
    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.open();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    protected StoreFixture fixture() {
        return new RedisFixture(server, "");
    }
}
