package io.holdfast.etcd;

import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.store.QueueingStoreContract;

/** {@link EtcdLockStore} keeps the contract, queue and marks included. */
class EtcdLockStoreContractTest extends QueueingStoreContract {
    @Override
    protected StoreFixture fixture() {
        return new EtcdFixture();
    }
}
