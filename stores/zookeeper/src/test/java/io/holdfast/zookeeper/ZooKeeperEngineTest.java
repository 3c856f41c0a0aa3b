package io.holdfast.zookeeper;

import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.engine.EngineContract;

/** The engine keeps its promises over {@link ZooKeeperLockStore}. */
class ZooKeeperEngineTest extends EngineContract {
    @Override
    protected StoreFixture fixture() {
        return new ZooKeeperFixture("");
    }
}
