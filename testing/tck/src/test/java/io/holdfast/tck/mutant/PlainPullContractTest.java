package io.holdfast.tck.mutant;

import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.VirtualTime;
import io.holdfast.tck.store.LockStoreContract;

/** The plain server without its queue, from which the mutants of S11 are made, keeps the contract. */
class PlainPullContractTest extends LockStoreContract {
    @Override
    protected StoreFixture fixture() {
        return PlainFixture.pulled(new VirtualTime(), PlainServer::new);
    }
}
