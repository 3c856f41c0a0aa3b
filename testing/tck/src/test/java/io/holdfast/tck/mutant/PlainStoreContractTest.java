package io.holdfast.tck.mutant;

import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.VirtualTime;
import io.holdfast.tck.store.QueueingStoreContract;

/** {@link PlainStore}, from which the mutants are made, keeps the contract. */
class PlainStoreContractTest extends QueueingStoreContract {
    @Override
    protected StoreFixture fixture() {
        return new PlainFixture(new VirtualTime(), PlainServer::new);
    }
}
