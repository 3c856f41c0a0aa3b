package io.holdfast.zookeeper;

import io.holdfast.servers.ZooKeeperServer;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.WatchableStoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** {@link ZooKeeperSingleStore} keeps the contract, in a namespace. */
class ZooKeeperSingleStoreContractTest extends WatchableStoreContract {
    private static ZooKeeperServer server;

    @BeforeAll
    static void start() {
        server = ZooKeeperServer.open();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    protected StoreFixture fixture() {
        return new ZooKeeperFixture(server, "&mode=single&namespace=team%20a");
    }
}
