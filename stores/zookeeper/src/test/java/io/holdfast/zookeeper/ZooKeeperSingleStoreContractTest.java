package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Mode;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.QueueingStore;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.store.WatchableStoreContract;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link ZooKeeperSingleStore} keeps the contract, in a namespace. */
@Tag("slow")
class ZooKeeperSingleStoreContractTest extends WatchableStoreContract {
    @Override
    protected StoreFixture fixture() {
        return new ZooKeeperFixture("&mode=single&namespace=team%20a");
    }

    @Test
    void oneNodeOffersNoQueueNoDelayAndExclusiveModeOnly() throws Exception {
        try (LockStore store = world().fixture().open("a")) {
            assertThat(store).isInstanceOf(ZooKeeperSingleStore.class).isNotInstanceOf(QueueingStore.class);
            assertThat(store.info().lockDelay()).isFalse();
            assertThat(store.info().modes()).containsExactly(Mode.EXCLUSIVE);
        }
    }
}
