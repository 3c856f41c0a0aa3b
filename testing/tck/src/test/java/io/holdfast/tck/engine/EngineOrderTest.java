package io.holdfast.tck.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.ReleaseOutcome;
import io.holdfast.Ticker;
import io.holdfast.memory.MemoryLockStore;
import io.holdfast.memory.MemorySpace;
import io.holdfast.spi.Claim;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.tck.PullStore;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Interleavings inside the engine that neither a store nor a fault of the network can cause. */
class EngineOrderTest {
    /** Release and renewal of one lease are serialised: a renewal that is being sent is not overtaken. */
    @Test
    void aReleaseDoesNotOvertakeTheRenewalThatIsBeingSent() throws Exception {
        SlowSender store = new SlowSender(new MemoryLockStore(new MemorySpace(Ticker.system())));
        try (Holdfast client = Holdfast.builder().store(store).open()) {
            Lease lease = client.mutex("job").acquire(LockOptions.defaults().ttl(Duration.ofSeconds(3)));
            assertThat(store.sending.await(TestTime.patience().toMillis(), TimeUnit.MILLISECONDS))
                    .isTrue();

            CompletableFuture<ReleaseOutcome> released = lease.releaseAsync();
            store.maySend.countDown();

            assertThat(released.get(TestTime.patience().toMillis(), TimeUnit.MILLISECONDS))
                    .isEqualTo(ReleaseOutcome.RELEASED);
            assertThat(store.events).startsWith("renewal begins", "renewal sent", "release");
        }
    }

    /** U21: a pause of this thread between the readings of the two clocks is not a suspended machine. */
    @Test
    void aPauseBetweenTheReadingsOfTheTwoClocksIsNotTakenForASuspend() throws Exception {
        Stumbling clock = new Stumbling();
        try (Holdfast client = Holdfast.builder()
                .store(new MemoryLockStore(new MemorySpace(Ticker.system())))
                .ticker(clock)
                .open()) {
            clock.stumbleAtNextReading();
            Lease lease = client.mutex("job").acquire();

            assertThat(clock.stumbles.get()).isZero();
            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
            lease.ensureValid();
            lease.close();
        }
    }

    /** Takes its time to send the first renewal. */
    private static final class SlowSender extends PullStore {
        final CountDownLatch sending = new CountDownLatch(1);
        final CountDownLatch maySend = new CountDownLatch(1);
        final List<String> events = new CopyOnWriteArrayList<>();

        SlowSender(LockStore store) {
            super(store);
        }

        @Override
        public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
            events.add("renewal begins");
            sending.countDown();
            try {
                maySend.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            events.add("renewal sent");
            return super.renew(claims);
        }

        @Override
        public CompletionStage<ReleaseResult> release(Claim claim) {
            events.add("release");
            return super.release(claim);
        }
    }

    /** The machine's clocks, on which a second passes right after a reading of the wall clock. */
    private static final class Stumbling implements Ticker {
        final AtomicInteger stumbles = new AtomicInteger();
        private final AtomicLong lost = new AtomicLong();

        void stumbleAtNextReading() {
            stumbles.set(1);
        }

        @Override
        public long nanos() {
            return Ticker.system().nanos() + lost.get();
        }

        @Override
        public long wallMicros() {
            long reading = Ticker.system().wallMicros() + lost.get() / 1000;
            if (stumbles.compareAndSet(1, 0)) {
                lost.addAndGet(TimeUnit.SECONDS.toNanos(1));
            }
            return reading;
        }
    }
}
