package io.holdfast.tck.engine;

import static io.holdfast.LockOptions.defaults;
import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import io.holdfast.Mode;
import io.holdfast.ReleaseOutcome;
import io.holdfast.tck.Clause;
import io.holdfast.tck.ConcurrentThreads;
import io.holdfast.tck.TestTime;
import io.holdfast.tck.engine.world.EngineClient;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What depends on the calling thread: re-entrancy and interrupts. */
interface BlockingClauses extends EngineClauses {
    @Test
    @Clause("P2")
    default void aReentrantLeaseKeepsTheOuterTokenAndTheLockUntilTheLastIsClosed() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        Lease outer = a.mutex("job").acquire(brief());
        Lease inner = a.mutex("job").acquire(brief());
        assertThat(inner.token()).isEqualTo(outer.token());

        assertThat(outer.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(inner.state()).isEqualTo(LeaseState.HELD);
        assertThat(b.mutex("job").tryAcquire(defaults())).isEmpty();

        assertThat(inner.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(b.mutex("job").tryAcquire(defaults())).isPresent();
    }

    @Test
    @Clause("P1")
    default void anotherThreadDoesNotEnterTheLease() throws Exception {
        EngineClient a = world().client("a");
        Lease lease = a.mutex("job").acquire(brief());
        AtomicBoolean entered = new AtomicBoolean(true);
        ConcurrentThreads.run(
                1, number -> entered.set(a.mutex("job").tryAcquire(defaults()).isPresent()));

        assertThat(entered).isFalse();
        lease.close();
    }

    @Test
    @Clause("P1")
    default void aDetachedLeaseIsNotEnteredAgain() throws Exception {
        EngineClient a = world().client("a");
        Lease lease = a.mutex("job").acquire(brief()).detach();

        assertThat(a.mutex("job").tryAcquire(defaults())).isEmpty();

        lease.close();
    }

    @Test
    @Clause("P1")
    default void askingForExclusiveWhileHoldingSharedIsAnErrorNotADeadlock() throws Exception {
        EngineClient a = world().client("a");
        assumeTrue(a.network().store().info().modes().contains(Mode.SHARED), "the store does not offer shared mode");
        DistributedReadWriteLock lock = a.holdfast().readWriteLock("job");
        Lease shared = lock.readLock().acquire(brief());

        assertThatThrownBy(() -> lock.writeLock().acquire(brief())).isInstanceOf(IllegalStateException.class);

        assertThat(shared.state()).isEqualTo(LeaseState.HELD);
        shared.close();
        lock.writeLock().acquire(brief()).close();
    }

    @Test
    @Clause("P4")
    default void aLostOuterLeaseMakesTheInnerAcquireThrow() throws Exception {
        EngineClient a = world().client("a");
        Lease outer = a.mutex("job").acquire(brief());
        a.cutOff();
        world().elapse(world().shortTtl());
        a.network().heal();

        assertThatThrownBy(() -> a.mutex("job").acquire(brief())).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> a.mutex("job").tryAcquire(defaults())).isInstanceOf(LeaseLostException.class);

        outer.close();
        a.mutex("job").acquire(brief()).close();
    }

    @Test
    @Clause("P5")
    default void anInterruptedThreadDoesNotBeginToWait() throws Exception {
        EngineClient a = world().client("a");
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> a.mutex("job").acquire(brief())).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        world().nothingLeft("job");
    }

    @Test
    @Clause("N3, P4")
    default void theHolderIsInterruptedOnLossIfItAskedForIt() throws Exception {
        EngineClient a = world().client("a");
        CountDownLatch acquired = new CountDownLatch(1);
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread holder = new Thread(() -> {
            try (Lease lease = a.mutex("job").acquire(brief().interruptOnLoss())) {
                lease.ensureValid();
                acquired.countDown();
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                end.set(e);
            }
        });
        holder.setDaemon(true);
        holder.start();
        acquired.await();
        a.cutOff();

        world().elapse(world().shortTtl());

        world().eventually("the holder is interrupted", () -> end.get() != null);
    }

    @Test
    @Clause("N3")
    default void noInterruptArrivesAfterCloseReturned() throws Exception {
        EngineClient a = world().client("a");
        Duration shortest = a.network().store().info().minTtl();
        Duration ttl = shortest.toMillis() < 100 ? Duration.ofMillis(100) : shortest;
        for (int i = 0; i < Math.max(4, 4000 / ttl.toMillis()); i++) {
            AtomicBoolean late = new AtomicBoolean();
            CountDownLatch acquired = new CountDownLatch(1);
            String name = "job-" + i;
            Thread holder = new Thread(() -> {
                try {
                    Lease lease = a.mutex(name)
                            .acquire(waitUpTo(Duration.ofSeconds(10))
                                    .ttl(ttl)
                                    .noRenewal()
                                    .interruptOnLoss());
                    acquired.countDown();
                    while (lease.remaining().toMillis() > 3) {
                        Thread.onSpinWait();
                    }
                    lease.close();
                    boolean during = Thread.interrupted();
                    java.util.concurrent.locks.LockSupport.parkNanos(3_000_000);
                    late.set(Thread.interrupted() && !during);
                } catch (InterruptedException e) {
                    // Lost while it was being acquired: no lease, nothing to see.
                    acquired.countDown();
                }
            });
            holder.setDaemon(true);
            holder.start();
            acquired.await();
            world().elapse(ttl);
            holder.join(TestTime.patience().toMillis());
            assertThat(late).as("interrupted after close()").isFalse();
        }
    }
}
