package io.holdfast.redis;

import io.holdfast.servers.RedisServer;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.engine.EngineContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The engine keeps its promises over {@link RedisLockStore}. */
class RedisEngineTest extends EngineContract {
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
