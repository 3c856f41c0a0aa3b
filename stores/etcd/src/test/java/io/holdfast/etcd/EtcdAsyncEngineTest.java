package io.holdfast.etcd;

import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.engine.AsyncEngineContract;

/** Futures keep the promises of the engine over {@link EtcdLockStore}. */
class EtcdAsyncEngineTest extends AsyncEngineContract {
    @Override
    protected StoreFixture fixture() {
        return new EtcdFixture();
    }
}
