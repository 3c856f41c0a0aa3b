package io.holdfast.tck.engine;

import static io.holdfast.LockOptions.defaults;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLock;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.tck.Clause;
import io.holdfast.tck.ConcurrentThreads;
import io.holdfast.tck.engine.world.EngineClient;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What the {@link java.util.concurrent.locks.Lock} view of a lock promises. */
interface LockViewClauses extends EngineClauses {
    @Test
    @Clause("P1")
    @SuppressWarnings("LockNotBeforeTry") // when and how unlock works is what is tested
    default void theViewIsReentrantAndOwnedByItsThread() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        LeaseLock lock = a.mutex("job").asLock();
        assertThat(lock.currentLease()).isEmpty();
        lock.lock();
        assertThat(a.mutex("job").asLock().tryLock()).isTrue();
        long token = lock.currentLease().orElseThrow().token();
        assertThat(token).isPositive();

        lock.unlock();
        assertThat(b.mutex("job").asLock().tryLock()).isFalse();
        AtomicReference<Throwable> stranger = new AtomicReference<>();
        ConcurrentThreads.run(1, number -> {
            try {
                lock.unlock();
            } catch (IllegalMonitorStateException e) {
                stranger.set(e);
            }
        });
        assertThat(stranger.get()).isInstanceOf(IllegalMonitorStateException.class);
        lock.unlock();

        assertThat(b.mutex("job").asLock().tryLock(1, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    @Clause("P4")
    @SuppressWarnings("LockNotBeforeTry") // when and how unlock works is what is tested
    default void unlockAfterALossThrowsAndFreesTheThread() throws Exception {
        EngineClient a = world().client("a");
        Holdfast brief = Holdfast.builder()
                .store(a.network().store())
                .defaults(LockOptions.waitUpTo(Duration.ofSeconds(5)).ttl(world().shortTtl()))
                .ticker(a.clock())
                .scheduler(world().fixture().time().scheduler())
                .open();
        try (brief) {
            LeaseLock lock = brief.mutex("job").asLock();
            lock.lock();
            a.cutOff();
            world().elapse(world().shortTtl());
            a.network().heal();

            assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
            assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);

            world().elapse(world().shortTtl());
            assertThat(lock.tryLock()).isTrue();
            lock.unlock();
        }
    }

    @Test
    @Clause("P4")
    @SuppressWarnings("LockNotBeforeTry") // when and how unlock works is what is tested
    default void unlockAfterTheClientWasClosedSaysThatTheLeaseWasLost() throws Exception {
        EngineClient a = world().client("a");
        LeaseLock lock = a.mutex("job").asLock();
        lock.lock();

        a.holdfast().close();

        assertThatThrownBy(lock::unlock)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.reason()).isEqualTo(LossReason.CLIENT_CLOSED));
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    @Clause("P5")
    default void aTimedTryLockReturnsFalseAndLockInterruptiblyCanBeInterrupted() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        Lease lease = a.mutex("job").acquire(defaults());
        AtomicReference<Object> tried = new AtomicReference<>();
        AtomicReference<Object> interrupted = new AtomicReference<>();
        Thread trying = new Thread(() -> {
            try {
                tried.set(b.mutex("job").asLock().tryLock(200, TimeUnit.MILLISECONDS));
            } catch (InterruptedException e) {
                tried.set(e);
            }
        });
        Thread waiting = new Thread(() -> {
            try {
                b.mutex("job").asLock().lockInterruptibly();
                interrupted.set("locked");
            } catch (InterruptedException e) {
                interrupted.set(e);
            }
        });
        trying.start();
        world().eventually("the try ends", () -> tried.get() != null);
        assertThat(tried.get()).isEqualTo(false);
        waiting.start();
        world().eventually("b waits", () -> b.heard().refusals.get() > 1);
        waiting.interrupt();
        world().eventually("the wait ends", () -> interrupted.get() != null);
        assertThat(interrupted.get()).isInstanceOf(InterruptedException.class);
        lease.close();
        world().nothingLeft("job");
    }
}
