package io.holdfast.etcd;

import io.holdfast.servers.EtcdServer;
import io.holdfast.tck.EngineContract;
import io.holdfast.tck.StoreFixture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Isolated;

/** The engine keeps its promises over {@link EtcdLockStore}. */
@Isolated("it looks for threads that clients left behind, and must not see those of other tests")
class EtcdEngineTest extends EngineContract {
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
