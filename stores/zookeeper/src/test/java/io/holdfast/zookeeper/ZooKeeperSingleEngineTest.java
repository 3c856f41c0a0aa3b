package io.holdfast.zookeeper;

import io.holdfast.servers.ZooKeeperServer;
import io.holdfast.tck.EngineContract;
import io.holdfast.tck.StoreFixture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Isolated;

/** The engine keeps its promises over {@link ZooKeeperSingleStore}. */
@Tag("slow")
@Isolated("it looks for threads that clients left behind, and must not see those of other tests")
class ZooKeeperSingleEngineTest extends EngineContract {
    private static ZooKeeperServer server;

    @BeforeAll
    static void start() {
        server = ZooKeeperFixture.server();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    protected StoreFixture fixture() {
        return new ZooKeeperFixture(server, "&mode=single");
    }
}
