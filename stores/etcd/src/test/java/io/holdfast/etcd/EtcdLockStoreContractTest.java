package io.holdfast.etcd;

import io.holdfast.tck.QueueingStoreContract;
import io.holdfast.tck.StoreFixture;

/** {@link EtcdLockStore} keeps the contract, queue and marks included. */
class EtcdLockStoreContractTest extends QueueingStoreContract {
    @Override
    protected StoreFixture fixture() {
        return new EtcdFixture();
    }
}
