package io.holdfast.tck.store;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Claim;
import io.holdfast.spi.WatchableStore;
import io.holdfast.tck.Clause;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** W1: a release wakes the clients that watch the name. W2: a closed watch is silent. The engine polls beside. */
interface WatchClauses extends StoreClauses {
    @Test
    @Clause("W1")
    default void aReleaseWakesThoseWhoWatchTheName() throws Exception {
        ContractClient a = world().client("a");
        ContractClient b = world().client("b");
        Claim held = exclusive("job").claim();
        a.granted(held);
        Semaphore woken = new Semaphore(0);
        try (WatchableStore.Watch watch = ((WatchableStore) b.store()).watch("job", woken::release)) {
            assertThat(watch).isNotNull();
            a.released(held);

            assertThat(woken.tryAcquire(TestTime.scaled(Duration.ofSeconds(10)).toMillis(), TimeUnit.MILLISECONDS))
                    .as("a hint after the release")
                    .isTrue();
        }
        b.granted(exclusive("job"));
    }

    @Test
    @Clause("W2")
    default void aClosedWatchIsSilent() throws Exception {
        ContractClient a = world().client("a");
        Semaphore woken = new Semaphore(0);
        Semaphore witness = new Semaphore(0);
        ((WatchableStore) a.store()).watch("job", woken::release).close();
        Claim held = exclusive("job").claim();
        a.granted(held);
        woken.drainPermits();
        try (WatchableStore.Watch watch = ((WatchableStore) a.store()).watch("job", witness::release)) {
            assertThat(watch).isNotNull();
            a.released(held);
            assertThat(witness.tryAcquire(
                            TestTime.scaled(Duration.ofSeconds(10)).toMillis(), TimeUnit.MILLISECONDS))
                    .as("the open watch hears the release")
                    .isTrue();
        }
        assertThat(woken.availablePermits()).isZero();
    }
}
