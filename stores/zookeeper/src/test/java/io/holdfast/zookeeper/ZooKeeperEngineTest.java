package io.holdfast.zookeeper;

import io.holdfast.tck.EngineContract;
import io.holdfast.tck.StoreFixture;

/** The engine keeps its promises over {@link ZooKeeperLockStore}. */
class ZooKeeperEngineTest extends EngineContract {
    @Override
    protected StoreFixture fixture() {
        return new ZooKeeperFixture("");
    }
}
