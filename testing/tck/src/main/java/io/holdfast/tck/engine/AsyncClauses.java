package io.holdfast.tck.engine;

import static io.holdfast.LockOptions.defaults;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Lease;
import io.holdfast.ReleaseOutcome;
import io.holdfast.tck.Clause;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.engine.world.EngineClient;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** What only the asynchronous API has: cancelling a future, and the thread that completes it. */
interface AsyncClauses extends EngineClauses {
    @Test
    @Clause("P1")
    default void anAsynchronousLeaseIsBoundToNoThread() throws Exception {
        EngineClient a = world().client("a");
        Lease lease = a.mutex("job").acquireAsync(defaults()).get(10, TimeUnit.SECONDS);

        Optional<Lease> again = a.mutex("job").tryAcquire(defaults());

        assertThat(again).isEmpty();
        assertThat(lease.releaseAsync().get(10, TimeUnit.SECONDS)).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    @Clause("P5")
    default void completionsRunOnTheClientsExecutorAndNotOnTheReleasersThread() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        Lease lease = acquire(a.mutex("job"));
        CompletableFuture<Thread> completedOn = b.mutex("job")
                .acquireAsync(lasting())
                .thenApply(next -> {
                    next.close();
                    return Thread.currentThread();
                });
        world().eventually("b waits", () -> b.heard().refusals.get() > 0);

        lease.close();

        world().eventually("b is served", completedOn::isDone);
        assertThat(completedOn.get(10, TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
    }

    @Test
    @Clause("P5, U15")
    default void cancellingATryThatWasGrantedLeavesNothing() throws Exception {
        EngineClient a = world().client("a");
        for (int i = 0; i < 50; i++) {
            CompletableFuture<Optional<Lease>> tried = a.mutex("job").tryAcquireAsync(lasting());
            if (!tried.cancel(false)) {
                tried.get(10, TimeUnit.SECONDS).ifPresent(Lease::close);
            }
            world().nothingLeft("job");
        }
    }

    @Test
    @Clause("P5, L16")
    default void cancellingAnAsynchronousSectionAtAnyMomentLeavesNothing() throws Exception {
        EngineClient a = world().client("a");
        for (int i = 0; i < 40; i++) {
            CompletableFuture<Long> section = a.mutex("job").callHeldAsync(lasting(), Lease::token);
            LockSupport.parkNanos(i * 20_000L);
            section.cancel(false);
            world().nothingLeft("job");
        }
    }

    @Test
    @Clause("L16, P5")
    default void aSectionThatIsCancelledAfterTheGrantAndBeforeItBeginsLeavesNothing() throws Exception {
        AtomicBoolean slow = new AtomicBoolean();
        ScheduledExecutorService threads = Executors.newScheduledThreadPool(4);
        Executor executor = task -> threads.schedule(task, slow.get() ? 20 : 0, TimeUnit.MILLISECONDS);
        EngineClient a = world().client("a", builder -> builder.executor(executor));
        ContractClient probe = world().store();
        try {
            for (int i = 0; i < 10; i++) {
                AtomicInteger begun = new AtomicInteger();
                slow.set(true);
                CompletableFuture<Integer> section =
                        a.mutex("job").callHeldAsync(lasting(), lease -> begun.incrementAndGet());
                while (probe.names("job", 1).isEmpty() && !section.isDone()) {
                    Thread.onSpinWait();
                }
                section.cancel(false);
                slow.set(false);

                world().nothingLeft("job");
                assertThat(section.isCancelled() || begun.get() == 1).isTrue();
            }
        } finally {
            a.holdfast().close();
            threads.shutdownNow();
        }
    }
}
