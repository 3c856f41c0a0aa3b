package io.holdfast.tck.engine;

import static io.holdfast.LockOptions.defaults;
import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockTimeoutException;
import io.holdfast.ReleaseOutcome;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.QueueingStore;
import io.holdfast.tck.Clause;
import io.holdfast.tck.ConcurrentThreads;
import io.holdfast.tck.FaultyStore.Fate;
import io.holdfast.tck.engine.world.EngineClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

/** P1, P2, P5: which request gets the lock, under which token, and what a request without success leaves behind. */
interface AcquireClauses extends EngineClauses {
    @Test
    @Clause("P1")
    default void oneHolderAtATimeAmongClients() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        Lease lease = acquire(a.mutex("job"));
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        lease.ensureValid();

        assertThat(tryNow(b.mutex("job"), defaults())).isEmpty();

        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
        Lease next = tryNow(b.mutex("job"), defaults()).orElseThrow();
        assertThat(next.token()).isGreaterThan(lease.token());
        next.close();
        world().nothingLeft("job");
    }

    @Test
    @Clause("P5")
    default void tryAcquireNeverWaitsForAHolder() throws Exception {
        EngineClient a = world().client("a");
        Lease lease = acquire(a.mutex("job"));

        assertThat(tryNow(a.mutex("job"), waitUpTo(Duration.ofHours(1)))).isEmpty();
        assertThat(tryNow(world().client("b").mutex("job"), waitUpTo(Duration.ofHours(1))))
                .isEmpty();

        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    }

    @Test
    @Clause("P5")
    default void aTimedWaitEndsWithATimeoutThatLeavesNothing() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        Lease lease = acquire(a.mutex("job"));
        Attempt attempt = start(b.mutex("job"), waitUpTo(Duration.ofMillis(200)));
        world().eventually("the wait is over", attempt::isDone);

        assertThatThrownBy(attempt::lease)
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("job");

        world().nobodyWaits("job");
        lease.close();
        world().nothingLeft("job");
    }

    @Test
    @Clause("P5")
    default void aWaitOfZeroTriesOnce() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        Lease lease = acquire(a.mutex("job"));
        assertThatThrownBy(() -> acquire(b.mutex("job"), waitUpTo(Duration.ZERO)))
                .isInstanceOf(LockTimeoutException.class);
        lease.close();
        acquire(b.mutex("job"), waitUpTo(Duration.ZERO)).close();
    }

    @Test
    @Clause("P1, P2")
    default void whoWaitsIsServedAfterTheRelease() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        Lease lease = acquire(a.mutex("job"));
        Attempt attempt = start(b.mutex("job"), lasting());
        world().eventually("b waits", () -> b.heard().refusals.get() > 0);
        assertThat(attempt.isDone()).isFalse();

        lease.close();

        world().eventually("b is served", attempt::isDone);
        Lease next = attempt.lease();
        assertThat(next.token()).isGreaterThan(lease.token());
        next.close();
        world().nothingLeft("job");
    }

    @Test
    @Clause("P5")
    default void anAbandonedAttemptLeavesNothing() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        Lease lease = acquire(a.mutex("job"));
        Attempt attempt = start(b.mutex("job"), lasting());
        world().eventually("b waits", () -> b.heard().refusals.get() > 0);

        attempt.abandon();

        world().eventually("the attempt ends", attempt::isDone);
        assertThatThrownBy(attempt::lease).isInstanceOfAny(InterruptedException.class, CancellationException.class);
        world().nobodyWaits("job");
        lease.close();
        world().nothingLeft("job");
        // Not by a, which leaves the lock to others for a moment after its release (L21).
        assertThat(tryNow(b.mutex("job"), defaults())).isPresent();
    }

    @Test
    @Clause("P5, U15")
    default void abandoningThatRacesTheGrantLeavesNothing() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        for (int i = 0; i < 30; i++) {
            int waiting = b.heard().refusals.get();
            Attempt first = start(a.mutex("job"), lasting());
            world().eventually("a holds", first::isDone);
            Lease lease = first.lease();
            Attempt attempt = start(b.mutex("job"), lasting());
            world().eventually("b waits", () -> b.heard().refusals.get() > waiting);
            ConcurrentThreads.run(2, number -> {
                if (number == 0) {
                    lease.close();
                } else {
                    attempt.abandon();
                }
            });
            world().eventually("the attempt ends", attempt::isDone);
            closeIfGranted(attempt);
            world().nothingLeft("job");
        }
    }

    @Test
    @Clause("P5, L1")
    default void anAcquireWhoseReplyWasLostIsAnErrorAndLeavesNothing() throws Exception {
        EngineClient a = world().client("a");
        a.network().next("tryAcquire", Fate.REPLY_LOST);

        assertThatThrownBy(() -> tryNow(a.mutex("job"), lasting()))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        failure -> assertThat(failure.outcomeUnknown()).isTrue());

        world().nothingLeft("job");
        assertThat(tryNow(world().client("b").mutex("job"), defaults())).isPresent();
    }

    @Test
    @Clause("P5, L1")
    default void aWaiterGoesOnAfterALostReplyAndHoldsOnce() throws Exception {
        EngineClient a = world().client("a");
        String verb = a.network().store() instanceof QueueingStore ? "enqueue" : "tryAcquire";
        a.network().next(verb, Fate.REPLY_LOST);

        Attempt attempt = start(a.mutex("job"), lasting());
        world().eventually("it is granted in the end", attempt::isDone);

        Lease lease = attempt.lease();
        assertThat(world().store().holders("job"))
                .singleElement()
                .satisfies(holder -> assertThat(holder.token()).isEqualTo(lease.token()));
        lease.close();
        world().nothingLeft("job");
    }

    @Test
    @Clause("P5, U15")
    default void aGrantThatArrivesAfterItsCallerGaveUpIsReleased() throws Exception {
        EngineClient a = world().client("a");
        String verb = a.network().store() instanceof QueueingStore ? "enqueue" : "tryAcquire";
        a.network().next(verb, Fate.REPLY_LATE);
        Attempt attempt = start(a.mutex("job"), lasting());
        world().eventually("the request is under way", () -> a.network().calls(verb) == 1);
        attempt.abandon();
        world().eventually("the attempt ends", attempt::isDone);

        a.network().deliverLate();

        world().nothingLeft("job");
        assertThat(a.heard().granted).isEmpty();
    }

    @Test
    @Clause("P5")
    default void anUnreachableStoreIsAnErrorWithinTheWait() throws Exception {
        EngineClient a = world().client("a");
        a.cutOff();

        Attempt attempt = start(a.mutex("job"), waitUpTo(Duration.ofMillis(300)));
        world().eventually("the call ends", attempt::isDone);

        assertThatThrownBy(attempt::lease).isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    @Clause("P1, P2")
    default void eightThreadsOfTwoClientsIncrementACounterUnderRisingTokens() throws Exception {
        EngineClient[] clients = {world().client("a"), world().client("b")};
        int[] counter = new int[1];
        List<Long> tokens = new ArrayList<>();
        world().whileTimeMoves(() -> ConcurrentThreads.run(8, number -> {
            for (int turn = 0; turn < 25; turn++) {
                Lease lease = acquire(clients[number % 2].mutex("counter"), waitUpTo(Duration.ofMinutes(5)));
                int seen = counter[0];
                tokens.add(lease.token());
                counter[0] = seen + 1;
                assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
            }
        }));
        assertThat(counter[0]).isEqualTo(200);
        assertThat(tokens).hasSize(200).isSorted().doesNotHaveDuplicates();
        world().nothingLeft("counter");
    }

    private static void closeIfGranted(Attempt attempt) throws Exception {
        try {
            attempt.lease().close();
        } catch (InterruptedException | CancellationException abandoned) {
            assertThat(attempt.isDone()).isTrue();
        }
    }
}
