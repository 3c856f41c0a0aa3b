package io.holdfast.etcd;

import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.engine.EngineContract;

/** The engine keeps its promises over {@link EtcdLockStore}. */
class EtcdEngineTest extends EngineContract {
    @Override
    protected StoreFixture fixture() {
        return new EtcdFixture();
    }
}
