package io.holdfast.etcd;

import io.holdfast.servers.EtcdServer;
import io.holdfast.tck.QueueingStoreContract;
import io.holdfast.tck.StoreFixture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** {@link EtcdLockStore} keeps the contract, queue and marks included. */
class EtcdLockStoreContractTest extends QueueingStoreContract {
    private static EtcdServer server;

    @BeforeAll
    static void start() {
        server = EtcdServer.open();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    protected StoreFixture fixture() {
        return new EtcdFixture(server);
    }
}
