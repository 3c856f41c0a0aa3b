package io.holdfast.zookeeper;

import io.holdfast.servers.ZooKeeperServer;
import io.holdfast.tck.QueueingStoreContract;
import io.holdfast.tck.StoreFixture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** {@link ZooKeeperLockStore} keeps the contract, queue included. */
class ZooKeeperLockStoreContractTest extends QueueingStoreContract {
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
        return new ZooKeeperFixture(server, "");
    }
}
