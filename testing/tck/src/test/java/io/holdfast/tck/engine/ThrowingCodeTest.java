package io.holdfast.tck.engine;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastListener;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.Mode;
import io.holdfast.ReleaseOutcome;
import io.holdfast.memory.MemoryLockStore;
import io.holdfast.memory.MemorySpace;
import io.holdfast.spi.Claim;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreSignals;
import io.holdfast.tck.PullStore;
import io.holdfast.tck.TestTime;
import io.holdfast.tck.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** L13, L16: an application's listeners, callbacks and executors that throw, reject or are slow. */
class ThrowingCodeTest {
    private static final Duration TTL = Duration.ofSeconds(3);
    private static final LockOptions BRIEF = waitUpTo(Duration.ofSeconds(30)).ttl(TTL);

    private final VirtualTime time = new VirtualTime();
    private final Signalling store = new Signalling(new MemorySpace(time));

    @Test
    void anErrorInAListenerOrACallbackChangesNothing() throws Exception {
        try (Holdfast holdfast = Holdfast.builder()
                .store(store)
                .ticker(time)
                .scheduler(time)
                .listener(new Broken())
                .open()) {
            Lease lease = holdfast.mutex("job").acquire(BRIEF);
            AtomicInteger told = new AtomicInteger();
            lease.onJeopardy(left -> {
                throw new NoSuchMethodError("of another version");
            });
            lease.onJeopardy(left -> told.incrementAndGet());

            store.signals().disconnected();
            assertThat(lease.state()).isEqualTo(LeaseState.JEOPARDY);
            store.signals().connected();
            time.elapse(TTL.multipliedBy(3));

            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
            assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
            assertThat(holdfast.mutex("job").tryAcquire()).isPresent();
            long patience = System.nanoTime() + TestTime.patience().toNanos();
            while (told.get() == 0 && System.nanoTime() - patience < 0) {
                Thread.onSpinWait();
            }
            assertThat(told).as("the callback after the broken one").hasValue(1);
        }
    }

    @Test
    void aLeaseWithoutRenewalEndsWithItsTtlHoweverOftenTheConnectionComesBack() throws Exception {
        try (Holdfast holdfast =
                Holdfast.builder().store(store).ticker(time).scheduler(time).open()) {
            Lease lease = holdfast.mutex("job").acquire(BRIEF.noRenewal());
            for (int i = 0; i < 4; i++) {
                store.signals().disconnected();
                time.elapse(TTL.dividedBy(5));
                assertThat(lease.state()).isEqualTo(LeaseState.HELD);
                store.signals().connected();
            }

            time.elapse(TTL.dividedBy(5));

            assertThat(lease.state()).isEqualTo(LeaseState.LOST);
            assertThat(store.renewals).hasValue(0);
        }
    }

    @Test
    void whatAFullExecutorRejectsRunsOnAThreadOfTheClient() throws Exception {
        try (Holdfast holdfast = Holdfast.builder()
                .store(new MemoryLockStore(MemorySpace.shared("full", "")))
                .executor(task -> {
                    throw new RejectedExecutionException("full");
                })
                .open()) {
            Lease lease = holdfast.mutex("job").acquire(BRIEF);
            CompletableFuture<Thread> completedOn = holdfast.mutex("job")
                    .acquireAsync(BRIEF)
                    .thenApply(next -> {
                        assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
                        return Thread.currentThread();
                    });

            lease.close(); // hands it on, on this thread

            Thread thread = completedOn.get(TestTime.patience().toMillis(), TimeUnit.MILLISECONDS);
            assertThat(thread).isNotSameAs(Thread.currentThread());
            assertThat(thread.getName()).startsWith("holdfast-");
            assertThat(holdfast.mutex("job")
                            .callHeldAsync(Lease::state)
                            .get(TestTime.patience().toMillis(), TimeUnit.MILLISECONDS))
                    .isEqualTo(LeaseState.HELD);
        }
    }

    @Test
    void aSectionThatIsCancelledBetweenItsGrantAndItsBeginReleases() throws Exception {
        Stepwise executor = new Stepwise();
        try (Holdfast holdfast = Holdfast.builder()
                .store(new MemoryLockStore(MemorySpace.shared("stepwise", "")))
                .executor(executor)
                .open()) {
            AtomicInteger begun = new AtomicInteger();
            CompletableFuture<Integer> section =
                    holdfast.mutex("job").callHeldAsync(BRIEF, lease -> begun.incrementAndGet());
            executor.step(); // the grant is delivered; the work waits for its turn
            assertThat(holdfast.inspect("job").orElseThrow().held()).isTrue();

            assertThat(section.cancel(false)).isTrue();
            executor.drain();

            assertThat(begun).hasValue(0);
            assertThat(holdfast.inspect("job").filter(status -> status.held())).isEmpty();
            Optional<Lease> free = holdfast.mutex("job").tryAcquire();
            assertThat(free).isPresent();
            executor.open = true;
            executor.drain();
        }
    }

    @Test
    void aSectionThatIsCancelledWhileItWorksKeepsTheLockUntilItsWorkEnds() throws Exception {
        try (Holdfast holdfast = Holdfast.builder()
                .store(new MemoryLockStore(MemorySpace.shared("working", "")))
                .open()) {
            CompletableFuture<Void> begun = new CompletableFuture<>();
            CompletableFuture<Void> end = new CompletableFuture<>();
            CompletableFuture<Boolean> section = holdfast.mutex("job").callHeldAsync(BRIEF, lease -> {
                begun.complete(null);
                end.join();
                return true;
            });
            begun.get(TestTime.patience().toMillis(), TimeUnit.MILLISECONDS);

            section.cancel(true);
            assertThat(holdfast.mutex("job").tryAcquire()).isEmpty();
            end.complete(null);

            holdfast.mutex("job").acquire(BRIEF).close();
        }
    }

    /** A memory store whose connection a test breaks and mends. */
    private static final class Signalling extends PullStore {
        final AtomicInteger renewals = new AtomicInteger();
        private @Nullable StoreSignals signals;

        Signalling(MemorySpace space) {
            super(new MemoryLockStore(space));
        }

        StoreSignals signals() {
            return Objects.requireNonNull(signals, "not attached");
        }

        @Override
        public void attach(StoreContext context) {
            signals = context.signals();
            super.attach(context);
        }

        @Override
        public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
            renewals.incrementAndGet();
            return super.renew(claims);
        }
    }

    /** Throws an Error whenever it is told of something. */
    private static final class Broken implements HoldfastListener {
        @Override
        public void onAttempt(String lockName, Mode mode) {
            throw new NoSuchMethodError("onAttempt");
        }

        @Override
        public void onGranted(Lease lease, Duration waited) {
            throw new NoSuchMethodError("onGranted");
        }

        @Override
        public void onRenewed(Lease lease, Duration remaining) {
            throw new NoSuchMethodError("onRenewed");
        }

        @Override
        public void onJeopardy(Lease lease, Duration remaining) {
            throw new NoSuchMethodError("onJeopardy");
        }

        @Override
        public void onLost(Lease lease, Loss loss) {
            throw new NoSuchMethodError("onLost");
        }

        @Override
        public void onReleased(Lease lease, ReleaseOutcome outcome, Duration held) {
            throw new NoSuchMethodError("onReleased");
        }
    }

    /** Runs a task when it is told to. */
    private static final class Stepwise implements Executor {
        private final Queue<Runnable> tasks = new ArrayDeque<>();
        boolean open;

        @Override
        public synchronized void execute(Runnable task) {
            if (open) {
                new Thread(task, "stepwise").start();
            } else {
                tasks.add(task);
            }
        }

        void step() {
            Runnable next;
            synchronized (this) {
                next = tasks.remove();
            }
            next.run();
        }

        void drain() {
            while (waiting()) {
                step();
            }
        }

        private synchronized boolean waiting() {
            return !tasks.isEmpty();
        }
    }
}
