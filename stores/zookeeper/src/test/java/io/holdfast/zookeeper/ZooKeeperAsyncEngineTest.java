package io.holdfast.zookeeper;

import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.engine.AsyncEngineContract;

/** The engine keeps its promises over {@link ZooKeeperLockStore}, asked asynchronously. */
class ZooKeeperAsyncEngineTest extends AsyncEngineContract {
    @Override
    protected StoreFixture fixture() {
        return new ZooKeeperFixture("");
    }
}
