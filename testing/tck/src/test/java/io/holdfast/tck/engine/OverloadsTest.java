package io.holdfast.tck.engine;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedLocks;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseSet;
import io.holdfast.LeaseState;
import io.holdfast.LockInterruptedException;
import io.holdfast.LockTimeoutException;
import io.holdfast.Revocation;
import io.holdfast.Ticker;
import io.holdfast.memory.MemoryLockStore;
import io.holdfast.memory.MemorySpace;
import io.holdfast.tck.TestTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** All overloads of a method, for one lock and for several, do the same. */
class OverloadsTest {
    private final MemorySpace space = new MemorySpace(Ticker.system());
    private final Holdfast here =
            Holdfast.builder().store(new MemoryLockStore(space)).open();
    private final Holdfast there =
            Holdfast.builder().store(new MemoryLockStore(space)).label("there").open();

    @AfterEach
    void close() {
        here.close();
        there.close();
    }

    @Test
    void everyFormHoldsTheLockWhileItsWorkRunsAndReleasesIt() throws Exception {
        DistributedLock job = here.mutex("job");
        List<LeaseState> seen = new ArrayList<>();
        job.runHeld(lease -> seen.add(lease.state()));
        seen.add(job.callHeld(Lease::state));
        assertThat(job.runIfFree(lease -> seen.add(lease.state()))).isTrue();
        seen.add(job.callIfFree(Lease::state).orElseThrow());
        job.unchecked().runHeld(lease -> seen.add(lease.state()));
        seen.add(job.unchecked().callHeld(Lease::state));
        seen.add(soon(job.callHeldAsync(Lease::state)));
        for (Callable<Lease> form : List.<Callable<Lease>>of(
                job::acquire,
                () -> job.tryAcquire().orElseThrow(),
                () -> job.unchecked().acquire(),
                () -> soon(job.acquireAsync()),
                () -> soon(job.tryAcquireAsync()).orElseThrow())) {
            try (Lease lease = form.call()) {
                seen.add(lease.state());
            }
        }

        assertThat(seen).hasSize(12).containsOnly(LeaseState.HELD);
        assertThat(there.mutex("job").tryAcquire()).isPresent();
    }

    @Test
    void workIsNotRunIfTheLockIsNotFree() throws Exception {
        Lease lease = there.mutex("job").acquire();

        assertThat(here.mutex("job").callIfFree(held -> "ran")).isEmpty();
        assertThat(here.mutexes("other", "job").callIfFree(held -> "ran")).isEmpty();
        assertThat(here.mutexes("other", "job").runIfFree(held -> {
                    throw new IllegalStateException("two holders");
                }))
                .isFalse();
        assertThat(soon(here.mutex("job").tryAcquireAsync())).isEmpty();
        lease.close();
        assertThat(here.list("", 10)).isEmpty();
    }

    @Test
    void aResultThatIsNullCannotBeToldFromALockThatIsNotFree() {
        assertThatThrownBy(() -> here.mutex("job").callIfFree(lease -> nothing()))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("'job'")
                .hasMessageContaining("runIfFree");
        assertThat(there.mutex("job").tryAcquire()).isPresent();
    }

    @Test
    void severalLocksOfferWhatOneDoes() throws Exception {
        DistributedLocks both = here.mutexes("b", "a");
        List<String> seen = new ArrayList<>();
        both.runHeld(leases -> seen.add("run " + names(leases)));
        seen.add(both.callHeld(leases -> "call " + names(leases)));
        assertThat(both.runIfFree(leases -> seen.add("runIfFree " + names(leases))))
                .isTrue();
        seen.add(both.callIfFree(leases -> "callIfFree " + names(leases)).orElseThrow());
        both.unchecked().runHeld(leases -> seen.add("unchecked " + names(leases)));
        try (LeaseSet leases = both.acquire()) {
            seen.add("acquire " + names(leases));
        }
        try (LeaseSet leases = both.tryAcquire().orElseThrow()) {
            seen.add("tryAcquire " + names(leases));
        }
        try (LeaseSet leases = soon(both.acquireAsync())) {
            seen.add("acquireAsync " + names(leases));
        }

        assertThat(seen)
                .containsExactly(
                        "run [a, b]",
                        "call [a, b]",
                        "runIfFree [a, b]",
                        "callIfFree [a, b]",
                        "unchecked [a, b]",
                        "acquire [a, b]",
                        "tryAcquire [a, b]",
                        "acquireAsync [a, b]");
        assertThat(here.list("", 10)).isEmpty();
    }

    @Test
    void aLeaseThatIsLostUnderTheWorkOfSeveralIsThrownAfterIt() {
        assertThatThrownBy(() -> here.mutexes("a", "b").runHeld(leases -> {
                    assertThat(there.revoke("a", Revocation.NOW)).isPresent();
                }))
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.loss().lockName()).isEqualTo("a"));
        assertThatThrownBy(() -> here.mutexes("a", "b").runHeld(leases -> {
                    throw new IOException("disk");
                }))
                .isInstanceOf(IOException.class);
        assertThat(here.list("", 10)).isEmpty();
    }

    @Test
    void severalLocksThatAreCancelledOrNotObtainedInTimeLeaveNothing() throws Exception {
        Lease held = there.mutex("b").acquire();
        CompletableFuture<LeaseSet> cancelled = here.mutexes("a", "b", "c").acquireAsync();
        CompletableFuture<LeaseSet> late = here.mutexes("x", "b").acquireAsync(waitUpTo(Duration.ofMillis(50)));

        assertThatThrownBy(() -> soon(late)).isInstanceOf(LockTimeoutException.class);
        cancelled.cancel(false);
        held.close();

        try (LeaseSet all = here.mutexes("a", "b", "c", "x").acquire()) {
            all.ensureValid();
        }
        assertThat(here.list("", 10)).isEmpty();
    }

    @Test
    void anInterruptDuringAnUncheckedWaitIsUncheckedAndKept() throws Exception {
        Lease held = there.mutex("job").acquire();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> here.mutex("job").unchecked().runHeld(lease -> {}))
                .isInstanceOfSatisfying(
                        LockInterruptedException.class,
                        interrupted -> assertThat(interrupted.lockName()).isEqualTo("job"))
                .hasMessageContaining("'job'");
        assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> here.mutexes("job", "a").unchecked().acquire())
                .isInstanceOf(LockInterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
        held.close();
        assertThat(here.list("", 10)).isEmpty();
    }

    @Test
    void aTimeoutNamesTheLockItsHolderAndTheTimeLeft() throws Exception {
        Lease held = there.mutex("job").acquire();
        for (Duration wait : List.of(Duration.ZERO, Duration.ofMillis(20))) {
            assertThatThrownBy(() -> here.mutex("job").acquire(waitUpTo(wait)))
                    .isInstanceOfSatisfying(LockTimeoutException.class, late -> {
                        assertThat(late.lockName()).isEqualTo("job");
                        assertThat(late.holder().orElseThrow().token()).isEqualTo(held.token());
                        assertThat(late.holder().orElseThrow().clientId()).isEqualTo(there.clientId());
                        assertThat(late.remaining().orElseThrow()).isBetween(Duration.ZERO, Duration.ofSeconds(30));
                    });
        }
        held.close();
    }

    @Test
    void aNumberOfPermitsThatDiffersFromThatOfThePermitsInUseIsRefused() {
        DistributedSemaphore two = here.semaphore("pool", 2);
        DistributedSemaphore three = here.semaphore("pool", 3);
        Lease one = two.tryAcquire().orElseThrow();

        assertThatThrownBy(three::tryAcquire)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'pool'")
                .hasMessageContaining("has 2 permits")
                .hasMessageContaining("one of 3");

        assertThat(two.tryAcquire()).isPresent();
        one.close();
    }

    @Test
    void aNameThatIsNullIsNamed() {
        assertThatThrownBy(() -> here.mutex(nothing()))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("lock name is null");
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
    private static <T> T nothing() {
        return null;
    }

    private static String names(LeaseSet leases) {
        leases.ensureValid();
        return leases.leases().stream().map(Lease::lockName).toList().toString();
    }

    private static <T> T soon(CompletableFuture<T> future) throws Exception {
        try {
            return future.get(TestTime.patience().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }
}
