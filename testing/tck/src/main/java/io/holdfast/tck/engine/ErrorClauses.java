package io.holdfast.tck.engine;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.HoldfastListener;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.Loss;
import io.holdfast.Mode;
import io.holdfast.ReleaseOutcome;
import io.holdfast.spi.QueueingStore;
import io.holdfast.tck.Clause;
import io.holdfast.tck.FaultyStore.Fate;
import io.holdfast.tck.engine.world.EngineClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** L13: an exception or error is an outcome, and blocks no later request. */
interface ErrorClauses extends EngineClauses {
    @Test
    @Clause("L13")
    default void aTryThatMeetsAnErrorFailsAndTheNextIsGranted() throws Exception {
        EngineClient a = world().client("a");
        for (Fate fate : List.of(Fate.THROWS_AN_ERROR, Fate.ANSWERS_AN_ERROR)) {
            a.network().next("tryAcquire", fate);
            assertThatThrownBy(() -> tryNow(a.mutex("job"), lasting()))
                    .as("%s", fate)
                    .isNotNull();

            Lease lease = tryNow(a.mutex("job"), lasting()).orElseThrow();
            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
            lease.close();
            world().nothingLeft("job");
        }
    }

    @Test
    @Clause("L13")
    default void aWaitThatMeetsAnErrorEndsAndTheNameIsUsable() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        String verb = a.network().store() instanceof QueueingStore ? "enqueue" : "tryAcquire";
        for (Fate fate : List.of(Fate.THROWS_AN_ERROR, Fate.ANSWERS_AN_ERROR)) {
            a.network().next(verb, fate);
            Attempt attempt = start(a.mutex("job"), lasting());
            world().eventually("the attempt ends", attempt::isDone);
            closeIfGranted(attempt);

            Attempt here = start(a.mutex("job"), lasting());
            world().eventually("the same client is granted the lock", here::isDone);
            Attempt there = start(b.mutex("job"), lasting());
            here.lease().close();
            world().eventually("the other client is granted the lock", there::isDone);
            there.lease().close();
            world().nothingLeft("job");
        }
    }

    @Test
    @Clause("L13, P4")
    default void aRenewalThatMeetsAnErrorIsRepeated() throws Exception {
        EngineClient a = world().client("a");
        Lease lease = acquire(a.mutex("job"), brief());
        a.network().next("renew", Fate.THROWS_AN_ERROR);
        a.network().next("renew", Fate.ANSWERS_AN_ERROR);

        world().elapse(world().shortTtl().multipliedBy(3));

        assertThat(a.network().calls("renew")).isGreaterThan(2);
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    @Clause("L13, L16")
    default void aReleaseThatMeetsAnErrorIsRepeatedUntilTheStoreHasAnswered() throws Exception {
        EngineClient a = world().client("a");
        for (Fate fate : List.of(Fate.THROWS_AN_ERROR, Fate.ANSWERS_AN_ERROR)) {
            Attempt attempt = start(a.mutex("job"), lasting());
            world().eventually("the lock is granted", attempt::isDone);
            Lease lease = attempt.lease();
            a.network().next("release", fate);
            try {
                assertThat(lease.release()).isNotEqualTo(ReleaseOutcome.RELEASED);
            } catch (RuntimeException | Error told) {
                assertThat(told).isNotInstanceOf(AssertionError.class);
            }

            world().nothingLeft("job");
        }
    }

    @Test
    @Clause("L13")
    default void aListenerThatThrowsErrorsChangesNothing() throws Exception {
        EngineClient a = world().client("a", builder -> builder.listener(new Throwing()));
        EngineClient b = world().client("b", builder -> builder.listener(new Throwing()));
        Lease first = acquire(a.mutex("job"), brief());
        Attempt waiting = start(b.mutex("job"), brief());
        world().eventually("b waits", () -> b.heard().refusals.get() > 0);
        first.close();
        world().eventually("b is served", waiting::isDone);
        Lease second = waiting.lease();
        List<Loss> told = new CopyOnWriteArrayList<>();
        second.onLost(told::add);

        b.cutOff();
        world().elapse(world().shortTtl());

        world().eventually("the loss is told", () -> told.size() == 1);
        b.network().heal();
        Attempt again = start(b.mutex("other"), brief());
        world().eventually("b is granted another lock", again::isDone);
        again.lease().close();
    }

    @Test
    @Clause("L13, P4")
    default void aCallbackThatThrowsAnErrorKeepsNoOtherFromBeingTold() throws Exception {
        EngineClient a = world().client("a");
        Lease one = acquire(a.mutex("one"), brief());
        Lease two = acquire(a.mutex("two"), brief());
        List<Loss> told = new CopyOnWriteArrayList<>();
        for (Lease lease : List.of(one, two)) {
            lease.onLost(loss -> {
                throw new NoSuchMethodError("a callback");
            });
            lease.onLost(told::add);
        }

        a.cutOff();
        world().elapse(world().shortTtl());

        world().eventually("both losses are told", () -> told.size() == 2);
    }

    @Test
    @Clause("L13")
    default void anExecutorThatRejectsLeavesNoNameAndNoLaneBehind() throws Exception {
        Unreliable executor = new Unreliable();
        EngineClient a = world().client("a", builder -> builder.executor(executor));
        try {
            for (Unreliable.Trouble trouble : List.of(Unreliable.Trouble.REJECTS, Unreliable.Trouble.OUT_OF_THREADS)) {
                executor.trouble = trouble;
                List<Attempt> attempts = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    attempts.add(start(a.mutex("n-" + i), waitUpTo(Duration.ofMillis(200))));
                }
                for (Attempt attempt : attempts) {
                    world().eventually("the attempt ends", attempt::isDone);
                    closeIfGranted(attempt);
                }
                executor.trouble = Unreliable.Trouble.NONE;
                world().nothingLeft("n-");

                for (int i = 0; i < 8; i++) {
                    Attempt attempt = start(a.mutex("n-" + i), lasting());
                    world().eventually("the lock is granted", attempt::isDone);
                    attempt.lease().close();
                }
                world().nothingLeft("n-");
            }
        } finally {
            executor.trouble = Unreliable.Trouble.NONE;
            a.holdfast().close();
            executor.pool.shutdownNow();
        }
    }

    private static void closeIfGranted(Attempt attempt) {
        try {
            attempt.lease().close();
        } catch (Exception | Error failed) {
            assertThat(attempt.isDone()).isTrue();
        }
    }

    /** Threads that are not always to be had. */
    final class Unreliable implements Executor {
        final ExecutorService pool = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "tck-unreliable");
            thread.setDaemon(true);
            return thread;
        });

        volatile Trouble trouble = Trouble.NONE;

        /** What it throws. */
        enum Trouble {
            NONE,
            REJECTS,
            OUT_OF_THREADS
        }

        @Override
        public void execute(Runnable task) {
            if (trouble == Trouble.REJECTS) {
                throw new RejectedExecutionException("the queue is full");
            }
            if (trouble == Trouble.OUT_OF_THREADS) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            pool.execute(task);
        }
    }

    /** A listener whose every method throws. */
    final class Throwing implements HoldfastListener {
        private final AtomicInteger calls = new AtomicInteger();

        private void fail() {
            throw new NoSuchMethodError("a listener, call " + calls.incrementAndGet());
        }

        @Override
        public void onAttempt(String lockName, Mode mode) {
            fail();
        }

        @Override
        public void onRefused(String lockName, Mode mode, String heldBy) {
            fail();
        }

        @Override
        public void onGranted(Lease lease, Duration waited) {
            fail();
        }

        @Override
        public void onHandedOff(Lease lease, Duration waited) {
            fail();
        }

        @Override
        public void onRenewed(Lease lease, Duration remaining) {
            fail();
        }

        @Override
        public void onJeopardy(Lease lease, Duration remaining) {
            fail();
        }

        @Override
        public void onLost(Lease lease, Loss loss) {
            fail();
        }

        @Override
        public void onReleased(Lease lease, ReleaseOutcome outcome, Duration held) {
            fail();
        }
    }
}
