package io.holdfast.tck.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.ReleaseOutcome;
import io.holdfast.StoreUnavailableException;
import io.holdfast.Ticker;
import io.holdfast.memory.MemoryLockStore;
import io.holdfast.memory.MemorySpace;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.tck.FaultyStore;
import io.holdfast.tck.FaultyStore.Fate;
import io.holdfast.tck.PullStore;
import io.holdfast.tck.TestTime;
import io.holdfast.tck.engine.world.ShiftedTicker;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens to a request when something fails inside the client, or the client is closed (L13, L14, L16). */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class EngineFailureTest {
    private static final LockOptions PATIENT = LockOptions.waitUpTo(Duration.ofMinutes(1));

    private final MemorySpace space = new MemorySpace(Ticker.system());

    /** L13, on a store without a queue. */
    @Test
    void anErrorWhileAskingIsThatRequestsFailureAndTheNameLivesOn() throws Exception {
        StoreWithErrors store = new StoreWithErrors(space);
        try (Holdfast client = Holdfast.builder().store(store).open()) {
            store.errorsOfAcquire.set(2);
            assertThatThrownBy(() -> client.mutex("job").acquire(PATIENT))
                    .isInstanceOf(HoldfastException.class)
                    .hasCauseInstanceOf(NoClassDefFoundError.class);
            assertThatThrownBy(() -> client.mutex("job").tryAcquire()).isInstanceOf(HoldfastException.class);

            client.mutex("job").acquire(PATIENT).close();
            assertThat(client.mutex("job").tryAcquire()).isPresent();
        }
    }

    /** L13, on a store with a queue; requests that wait behind the failed one go on. */
    @Test
    void anErrorWhileEnqueueingFailsOneRequestAndNotTheNext() throws Exception {
        QueueThatFails store = new QueueThatFails(space);
        try (Holdfast client = Holdfast.builder().store(store).open()) {
            store.nextEnqueue = new StackOverflowError();
            CompletableFuture<Lease> failed = client.mutex("job").acquireAsync(PATIENT);
            CompletableFuture<Lease> next = client.mutex("job").acquireAsync(PATIENT);

            assertThatThrownBy(() -> failed.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(StackOverflowError.class);
            next.get(60, TimeUnit.SECONDS).close();
        }
    }

    /** L13: a release that could not be sent is repeated. */
    @Test
    void anErrorWhileReleasingIsAnUnknownOutcomeAndTheReleaseIsRepeated() throws Exception {
        StoreWithErrors store = new StoreWithErrors(space);
        try (Holdfast client = Holdfast.builder().store(store).open()) {
            Lease lease = client.mutex("job").acquire(PATIENT);
            store.errorsOfRelease.set(1);

            assertThat(lease.release()).isEqualTo(ReleaseOutcome.UNKNOWN);

            eventually(() -> client.inspect("job").orElseThrow().holders().isEmpty());
        }
    }

    /** L16. */
    @Test
    void closingDuringATryLeavesNoGrant() throws Exception {
        FaultyStore network = FaultyStore.over(new PullStore(new MemoryLockStore(space)));
        Holdfast client = Holdfast.builder().store(network.store()).open();
        network.next("tryAcquire", Fate.REPLY_LATE);
        network.next("release", Fate.REPLY_LOST);
        CompletableFuture<Optional<Lease>> tried = client.mutex("job").tryAcquireAsync(LockOptions.defaults());
        eventually(() -> network.calls("tryAcquire") == 1);

        client.close();

        eventually(tried::isCompletedExceptionally);
        try (Holdfast other =
                Holdfast.builder().store(new MemoryLockStore(space)).open()) {
            assertThat(other.mutex("job").tryAcquire()).isPresent();
        }
    }

    /** L16: a shared try contends beside the requests that wait. */
    @Test
    void closingDuringASharedTryLeavesNoGrant() throws Exception {
        FaultyStore network = FaultyStore.over(new PullStore(new MemoryLockStore(space)));
        Holdfast client = Holdfast.builder().store(network.store()).open();
        network.next("tryAcquire", Fate.REPLY_LATE);
        network.next("tryAcquire", Fate.REPLY_LATE);
        var first = client.readWriteLock("job").readLock().tryAcquireAsync(LockOptions.defaults());
        var second = client.readWriteLock("job").readLock().tryAcquireAsync(LockOptions.defaults());
        eventually(() -> network.calls("tryAcquire") == 2);

        client.close();

        eventually(first::isCompletedExceptionally);
        eventually(second::isCompletedExceptionally);
        try (Holdfast other =
                Holdfast.builder().store(new MemoryLockStore(space)).open()) {
            assertThat(other.mutex("job").tryAcquire()).isPresent();
        }
    }

    /** L14: the place cannot be given up at the end of the wait. */
    @Test
    void aStoreThatCannotBeReachedAtTheEndOfAWaitIsAnOutage() throws Exception {
        QueueThatFails store = new QueueThatFails(space);
        try (Holdfast other =
                        Holdfast.builder().store(new MemoryLockStore(space)).open();
                Holdfast client = Holdfast.builder().store(store).open();
                Lease held = other.mutex("job").acquire(PATIENT)) {
            store.cut = true;
            assertThatThrownBy(() -> client.mutex("job").acquire(LockOptions.waitUpTo(Duration.ofMillis(50))))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("'job'")
                    .hasMessageContaining("no connection at the moment");

            store.cut = false;
            assertThatThrownBy(() -> client.mutex("job").acquire(LockOptions.waitUpTo(Duration.ofMillis(50))))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining("held by")
                    .hasMessageContaining(Long.toString(held.token()));
        }
    }

    /** L14: the store says that it is cut off; requests behind the first one hear of it, too. */
    @Test
    void aWaitThatEndsWhileTheStoreIsCutOffIsAnOutageForEveryRequest() throws Exception {
        QueueThatFails store = new QueueThatFails(space);
        LockOptions brief = LockOptions.waitUpTo(Duration.ofMillis(100));
        try (Holdfast other =
                        Holdfast.builder().store(new MemoryLockStore(space)).open();
                Holdfast client = Holdfast.builder().store(store).open();
                Lease held = other.mutex("job").acquire(PATIENT)) {
            CompletableFuture<Lease> first = client.mutex("job").acquireAsync(PATIENT);
            CompletableFuture<Lease> second = client.mutex("job").acquireAsync(brief);
            store.signals().disconnected();

            assertThatThrownBy(() -> second.get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(StoreUnavailableException.class);

            store.signals().connected();
            CompletableFuture<Lease> third = client.mutex("job").acquireAsync(brief);
            assertThatThrownBy(() -> third.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(LockTimeoutException.class);
            assertThat(first).isNotDone();
            assertThat(held.state()).isEqualTo(LeaseState.HELD);
            first.cancel(false);
        }
    }

    /** U2, U21: a clock that is set while a request waits does not make its fresh lease look lost. */
    @Test
    void aWallClockThatIsSetDuringAWaitLeavesTheNewLeaseValid() throws Exception {
        ShiftedTicker clock = new ShiftedTicker(Ticker.system());
        QueueThatFails store = new QueueThatFails(space);
        try (Holdfast other =
                        Holdfast.builder().store(new MemoryLockStore(space)).open();
                Holdfast client = Holdfast.builder().store(store).ticker(clock).open()) {
            Lease held = other.mutex("job").acquire(PATIENT);
            CompletableFuture<Lease> waiting = client.mutex("job").acquireAsync(PATIENT);
            clock.shift(Duration.ofSeconds(10));
            held.close();

            Lease lease = waiting.get(60, TimeUnit.SECONDS);
            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
            lease.ensureValid();
            assertThat(store.renewals)
                    .as("renewals before the lease was given out")
                    .hasValue(1);
            lease.close();
        }
    }

    /** L16: a pushed grant whose confirmation failed may be a full lease by now; it is released by its holder id. */
    @Test
    void aPlaceThatIsLostWithAnUnknownOutcomeIsReleased() throws Exception {
        QueueThatFails store = new QueueThatFails(space);
        LockOptions lasting = PATIENT.ttl(Duration.ofMinutes(10)).lockDelay(Duration.ofMinutes(10));
        try (Holdfast other =
                        Holdfast.builder().store(new MemoryLockStore(space)).open();
                Holdfast client = Holdfast.builder().store(store).open()) {
            Lease held = other.mutex("job").acquire(PATIENT);
            CompletableFuture<Lease> waiting = client.mutex("job").acquireAsync(lasting);
            store.confirmationsFail = true;
            held.close();

            // The place is asked for anew, with a fresh holder id: the lock is closed only if the old one was kept.
            waiting.get(60, TimeUnit.SECONDS).close();
            assertThat(other.mutex("job").tryAcquire()).isPresent();
        }
    }

    private static void eventually(BooleanSupplier so) {
        long giveUp = System.nanoTime() + TestTime.patience().toNanos();
        while (!so.getAsBoolean()) {
            if (System.nanoTime() - giveUp > 0) {
                throw new AssertionError("it never happened");
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** A pull store whose verbs throw errors. */
    private static final class StoreWithErrors extends PullStore {
        final AtomicInteger errorsOfAcquire = new AtomicInteger();
        final AtomicInteger errorsOfRelease = new AtomicInteger();

        StoreWithErrors(MemorySpace space) {
            super(memory(space));
        }

        private static LockStore memory(MemorySpace space) {
            return new MemoryLockStore(space);
        }

        @Override
        public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
            throwIfLeft(errorsOfAcquire);
            return super.tryAcquire(claim);
        }

        @Override
        public CompletionStage<ReleaseResult> release(Claim claim) {
            throwIfLeft(errorsOfRelease);
            return super.release(claim);
        }

        private static void throwIfLeft(AtomicInteger errors) {
            if (errors.get() > 0 && errors.getAndDecrement() > 0) {
                throw new NoClassDefFoundError("io/driver/Missing");
            }
        }
    }
}
