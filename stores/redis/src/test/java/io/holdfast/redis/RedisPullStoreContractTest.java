package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.RedisOptions;
import io.holdfast.servers.RedisServer;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.QueueingStore;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.store.LockStoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link RedisPullStore}, in a namespace, keeps the contract and never subscribes. */
@Tag("slow")
class RedisPullStoreContractTest extends LockStoreContract {
    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.open(RedisOptions.defaults().ownClock());
    }

    @AfterAll
    static void stop() {
        assertThat(server.calls("subscribe")).isZero();
        assertThat(server.calls("publish")).isZero();
        server.close();
    }

    @Override
    protected StoreFixture fixture() {
        return new RedisFixture(server, "?wait=pull&namespace=team%20a&pauseMin=5ms&pauseRandom=5ms", true);
    }

    @Test
    void pullModeOffersNoQueueAndTheGivenPauses() throws Exception {
        try (LockStore store = world().fixture().open("a")) {
            assertThat(store).isExactlyInstanceOf(RedisPullStore.class).isNotInstanceOf(QueueingStore.class);
            assertThat(store.info().pauseMin()).hasMillis(5);
            assertThat(store.info().pauseRandom()).hasMillis(5);
        }
    }
}
