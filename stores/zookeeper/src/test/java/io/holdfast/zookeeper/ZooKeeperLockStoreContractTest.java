package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.QueueingStore;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.store.QueueingStoreContract;
import org.junit.jupiter.api.Test;

/** {@link ZooKeeperLockStore} keeps the contract, queue included. */
class ZooKeeperLockStoreContractTest extends QueueingStoreContract {
    @Override
    protected StoreFixture fixture() {
        return new ZooKeeperFixture("");
    }

    @Test
    void theLineIsTheDefault() throws Exception {
        try (LockStore store = world().fixture().open("a")) {
            assertThat(store).isInstanceOf(ZooKeeperLockStore.class).isInstanceOf(QueueingStore.class);
        }
    }
}
