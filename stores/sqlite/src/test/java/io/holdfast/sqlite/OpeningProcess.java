package io.holdfast.sqlite;

import io.holdfast.spi.Granted;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUrl;
import io.holdfast.tck.Ask;
import io.holdfast.tck.ContractClient;
import java.time.Duration;

/** Opens an embedded store, says where its sweeper starts to count, and takes a lock. Arguments: store URL, name. */
final class OpeningProcess {
    private OpeningProcess() {}

    public static void main(String[] arguments) throws Exception {
        try (EmbeddedLockStore store = (EmbeddedLockStore) new EmbeddedStoreProvider()
                .open(StoreUrl.parse(arguments[0]), new StoreProvider.Settings("", Duration.ofSeconds(30)))) {
            int counted = store.sweeper().counted();
            boolean granted = new ContractClient(store)
                            .tryAcquire(Ask.exclusive(arguments[1]).claim())
                    instanceof Granted;
            System.out.println((granted ? "granted " : "refused ") + counted);
        } catch (IllegalArgumentException e) {
            System.out.println("unusable " + e.getMessage());
        }
    }
}
