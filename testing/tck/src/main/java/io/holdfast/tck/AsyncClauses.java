package io.holdfast.tck;

import static io.holdfast.LockOptions.defaults;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Lease;
import io.holdfast.ReleaseOutcome;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** What only futures can do. */
interface AsyncClauses extends InEngine {
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
}
