package io.holdfast.sql;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.WatchableStore;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.TestTime;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** L13: a callback that throws an error keeps no other waiter from being woken, now or later. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class WakeErrorTest {
    @Test
    void otherWaitersAreWokenAfterACallbackFailed() throws Exception {
        try (StoreFixture fixture = Servers.onPostgres("");
                LockStore holder = fixture.open("holder");
                LockStore waiter = fixture.open("waiter")) {
            ContractClient client = new ContractClient(holder);
            Claim first = exclusive("job").claim();
            client.granted(first);
            AtomicInteger thrown = new AtomicInteger();
            AtomicInteger woken = new AtomicInteger();
            try (WatchableStore.Watch failing = ((WatchableStore) waiter).watch("job", () -> {
                        thrown.incrementAndGet();
                        throw new StackOverflowError();
                    });
                    WatchableStore.Watch other = ((WatchableStore) waiter).watch("job", woken::incrementAndGet)) {
                assertThat(failing).isNotSameAs(other);
                released(client, first, woken, thrown);
                Claim second = exclusive("job").claim();
                await().atMost(TestTime.patience()).until(() -> client.tryAcquire(second) instanceof Granted);
                released(client, second, woken, thrown);
            }
        }
    }

    private static void released(ContractClient client, Claim claim, AtomicInteger woken, AtomicInteger thrown)
            throws Exception {
        int before = woken.get();
        int thrownBefore = thrown.get();
        client.released(claim);
        await().atMost(TestTime.patience()).until(() -> woken.get() > before && thrown.get() > thrownBefore);
    }
}
