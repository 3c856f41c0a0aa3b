package io.holdfast.zookeeper;

import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.engine.EngineContract;
import org.junit.jupiter.api.Tag;

/** The engine keeps its promises over {@link ZooKeeperSingleStore}. */
@Tag("slow")
class ZooKeeperSingleEngineTest extends EngineContract {
    @Override
    protected StoreFixture fixture() {
        return new ZooKeeperFixture("&mode=single");
    }
}
