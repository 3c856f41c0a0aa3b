package io.holdfast.sql.session;

import static io.holdfast.tck.Ask.exclusive;
import static org.awaitility.Awaitility.await;

import io.holdfast.spi.Granted;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.store.WatchableStoreContract;
import org.junit.jupiter.api.Test;

/** What differs for locks that sessions hold: they end with the client that took them, as soon as it is closed. */
public abstract class SessionLockContract extends WatchableStoreContract {
    @Override
    @Test
    public void grantsOutliveTheStoreObjectThatTookThem() throws Exception {
        ContractClient a = world().client("a");
        ContractClient b = world().client("b");
        a.granted(exclusive("job").by("a"));
        b.refused(exclusive("job").by("b"));

        a.store().close();

        await().until(() -> b.tryAcquire(exclusive("job").by("b").claim()) instanceof Granted);
    }
}
