package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.RedisServer;
import io.holdfast.spi.LockStore;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.store.QueueingStoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@link RedisLockStore} keeps the contract, queue included. */
class RedisLockStoreContractTest extends QueueingStoreContract {
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

    @Test
    void pushModeIsTheDefault() throws Exception {
        try (LockStore store = world().fixture().open("a")) {
            assertThat(store).isInstanceOf(RedisLockStore.class);
        }
    }
}
