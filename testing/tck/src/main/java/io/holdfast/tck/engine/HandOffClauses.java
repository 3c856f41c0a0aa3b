package io.holdfast.tck.engine;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockTimeoutException;
import io.holdfast.ReleaseOutcome;
import io.holdfast.spi.QueueingStore;
import io.holdfast.spi.WatchableStore;
import io.holdfast.tck.Clause;
import io.holdfast.tck.FaultyStore.Fate;
import io.holdfast.tck.VirtualTime;
import io.holdfast.tck.engine.world.EngineClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** U5, U14, L8, L9: the local queue, and leases that pass from one thread of a client to the next. */
interface HandOffClauses extends EngineClauses {
    @Test
    @Clause("U14, U5, P2")
    default void aGrantPassesBetweenEqualsUnderItsNextTokens() throws Exception {
        EngineClient a = world().client("a");
        settle(a);
        List<Attempt> attempts = new ArrayList<>();
        Lease current = acquire(a.mutex("job"), brief());
        for (int i = 0; i < 6; i++) {
            attempts.add(start(a.mutex("job"), brief()));
            awaitLocal(a, i + 1);
        }
        long last = current.token();
        for (Attempt attempt : attempts) {
            assertThat(current.release()).isEqualTo(ReleaseOutcome.RELEASED);
            world().eventually("the next is served", attempt::isDone);
            current = attempt.lease();
            assertThat(current.token()).isGreaterThan(last);
            last = current.token();
        }
        current.close();

        assertThat(a.heard().handedOff).as("tokens of passes").isNotEmpty().doesNotHaveDuplicates();
        world().nothingLeft("job");
    }

    @Test
    @Clause("U14, S7")
    default void aGrantNeverPassesToARequestWithAnotherTtl() throws Exception {
        EngineClient a = world().client("a");
        settle(a);
        int passes = a.heard().handedOff.size();
        Lease first = acquire(a.mutex("job"), brief());
        Duration longer = world().shortTtl().multipliedBy(3);
        Attempt other = start(a.mutex("job"), brief().ttl(longer));
        Attempt last = start(a.mutex("job"), brief().ttl(longer.multipliedBy(2)));
        world().elapse(Duration.ofMillis(20));

        first.close();
        world().eventually("the next is served", () -> other.isDone() || last.isDone());

        Attempt served = other.isDone() ? other : last;
        Attempt waiting = served == other ? last : other;
        assertThat(world().store().holders("job"))
                .singleElement()
                .satisfies(holder ->
                        assertThat(holder.ttl()).isEqualTo(served == other ? longer : longer.multipliedBy(2)));
        served.lease().close();
        world().eventually("the last is served", waiting::isDone);
        waiting.lease().close();
        assertThat(a.heard().handedOff).hasSize(passes);
    }

    @Test
    @Clause("U14")
    default void nothingPassesFromALostLease() throws Exception {
        EngineClient a = world().client("a");
        settle(a);
        int passes = a.heard().handedOff.size();
        Lease lost = acquire(a.mutex("job"), brief());
        Attempt attempt = start(a.mutex("job"), brief());
        a.cutOff();
        world().elapse(world().shortTtl());
        assertThat(lost.state()).isEqualTo(LeaseState.LOST);
        a.network().heal();

        lost.close();
        world().eventually("the waiter is served by the store", attempt::isDone);

        Lease next = attempt.lease();
        assertThat(next.token()).isGreaterThan(lost.token());
        assertThat(a.heard().handedOff).hasSize(passes);
        next.close();
    }

    @Test
    @Clause("U14, U21")
    default void nothingPassesFromALeaseOfAMachineThatWasSuspended() throws Exception {
        EngineClient a = world().client("a");
        settle(a);
        Lease first = acquire(a.mutex("job"), brief());
        List<Attempt> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiting.add(start(a.mutex("job"), brief()));
            awaitLocal(a, i + 1);
        }
        first.close();
        Lease second = nextOf(waiting); // granted by the store, with tokens for those behind it
        int passes = a.heard().handedOff.size();

        a.clock().shift(Duration.ofMinutes(1));
        second.close();

        Lease third = nextOf(waiting);
        assertThat(a.heard().handedOff).hasSize(passes);
        assertThat(third.state()).isEqualTo(LeaseState.HELD);
        third.close();
        nextOf(waiting).close();
    }

    /** The lease of the one that is served next. */
    private Lease nextOf(List<Attempt> waiting) throws Exception {
        world().eventually("the next is served", () -> waiting.stream().anyMatch(Attempt::isDone));
        Attempt served = waiting.stream().filter(Attempt::isDone).findFirst().orElseThrow();
        waiting.remove(served);
        return served.lease();
    }

    @Test
    @Clause("U14")
    default void withoutHandOffsEveryGrantComesFromTheStore() throws Exception {
        EngineClient a = world().client("a");
        settle(a);
        int passes = a.heard().handedOff.size();
        Lease lease = acquire(a.mutex("job"), brief().handoffs(0));
        for (int i = 0; i < 3; i++) {
            Attempt attempt = start(a.mutex("job"), brief().handoffs(0));
            world().elapse(Duration.ofMillis(20));
            lease.close();
            world().eventually("the next is served", attempt::isDone);
            lease = attempt.lease();
        }
        lease.close();
        assertThat(a.heard().handedOff).hasSize(passes);
    }

    @Test
    @Clause("L8")
    default void onAPullStoreWhoGaveTheLockUpPausesBeforeContendingAgain() throws Exception {
        EngineClient a = world().client("a");
        assumeTrue(
                !(a.network().store() instanceof QueueingStore) && !(a.network().store() instanceof WatchableStore),
                "the store is not used in pull mode");
        assumeTrue(world().fixture().time() instanceof VirtualTime, "only virtual time can stand still");
        Lease lease = acquire(a.mutex("job"), brief().handoffs(0));
        Attempt attempt = start(a.mutex("job"), brief().handoffs(0));
        world().elapse(Duration.ofMillis(100));
        int before = a.network().calls("tryAcquire");

        lease.close();

        assertThat(a.network().calls("tryAcquire")).isEqualTo(before);
        assertThat(world().store().holders("job")).isEmpty();
        world().eventually("it asks after the pause", attempt::isDone);
        attempt.lease().close();
    }

    @Test
    @Clause("L9, Q1")
    default void aRemotePlacePassesToTheNextLocalWaiter() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        EngineClient c = world().client("c");
        assumeTrue(a.network().store() instanceof QueueingStore, "the store has no queue");
        Lease lease = acquire(a.mutex("job"), waitUpTo(Duration.ofMinutes(1)));
        Attempt impatient = start(b.mutex("job"), waitUpTo(Duration.ofMillis(400)));
        world().eventually("b has a place", () -> b.heard().refusals.get() == 1);
        Attempt patient = start(b.mutex("job"), waitUpTo(Duration.ofMinutes(5)));
        world().elapse(Duration.ofMillis(20));
        Attempt later = start(c.mutex("job"), waitUpTo(Duration.ofMinutes(5)));
        world().eventually("c has a place", () -> c.heard().refusals.get() == 1);
        world().eventually("the first gives up", impatient::isDone);
        assertThat(catchTimeout(impatient)).isTrue();
        assertThat(world().store().status("job").waiting()).isEqualTo(2);

        lease.close();

        world().eventually("b is served before c", patient::isDone);
        assertThat(later.isDone()).isFalse();
        patient.lease().close();
        world().eventually("c is served", later::isDone);
        later.lease().close();
        world().nothingLeft("job");
    }

    @Test
    @Clause("L9")
    default void aPlaceThatDoesNotServeTheNextIsGivenUpAndNobodyIsPassedOver() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        assumeTrue(a.network().store() instanceof QueueingStore, "the store has no queue");
        Duration other = world().shortTtl().multipliedBy(3);
        Lease lease = acquire(a.mutex("job"), waitUpTo(Duration.ofMinutes(1)));
        Attempt impatient = start(b.mutex("job"), waitUpTo(Duration.ofMillis(400)));
        world().eventually("b has a place", () -> b.heard().refusals.get() == 1);
        Attempt next = start(b.mutex("job"), waitUpTo(Duration.ofMinutes(5)).ttl(other));
        world().elapse(Duration.ofMillis(20));
        Attempt served = start(b.mutex("job"), waitUpTo(Duration.ofMinutes(5)));
        world().eventually("the first gives up", impatient::isDone);
        assertThat(catchTimeout(impatient)).isTrue();
        world().eventually(
                        "the next has a place of its own",
                        () -> b.heard().refusals.get() == 2);
        assertThat(world().store().status("job").waiting()).isEqualTo(1);

        lease.close();

        world().eventually("the next in line is served", next::isDone);
        assertThat(served.isDone()).isFalse();
        assertThat(world().store().holders("job"))
                .singleElement()
                .satisfies(holder -> assertThat(holder.ttl()).isEqualTo(other));
        next.lease().close();
        world().eventually("the last is served", served::isDone);
        served.lease().close();
        world().nothingLeft("job");
    }

    @Test
    @Clause("U15, U5")
    default void anExchangeWithUnknownOutcomeIsGivenUpAndNothingOfItIsLeft() throws Exception {
        EngineClient a = world().client("a");
        assumeTrue(a.network().store() instanceof QueueingStore, "the store has no queue");
        for (Fate fate : List.of(Fate.REQUEST_LOST, Fate.REPLY_LOST, Fate.REQUEST_LATE)) {
            Lease lease = acquire(a.mutex("job"), lasting().handoffs(0));
            Attempt attempt = start(a.mutex("job"), lasting().handoffs(0));
            world().elapse(Duration.ofMillis(20));
            a.network().next("exchange", fate);

            assertThat(lease.release()).isEqualTo(ReleaseOutcome.UNKNOWN);
            world().eventually("the next is served", attempt::isDone);
            Lease next = attempt.lease();
            a.network().deliverLate();

            assertThat(next.token()).isGreaterThan(lease.token());
            assertThat(world().store().holders("job"))
                    .singleElement()
                    .satisfies(holder -> assertThat(holder.token()).isEqualTo(next.token()));
            next.close();
            world().nothingLeft("job");
        }
    }

    @Test
    @Clause("L1, P5")
    default void aRequestThatArrivesLateMeetsItsTombstone() throws Exception {
        EngineClient a = world().client("a");
        String verb = a.network().store() instanceof QueueingStore ? "enqueue" : "tryAcquire";
        a.network().next(verb, Fate.REQUEST_LATE);
        Attempt attempt = start(a.mutex("job"), lasting());
        world().eventually("it is granted in the end", attempt::isDone);
        attempt.lease().close();
        world().nothingLeft("job");

        a.network().deliverLate();

        world().nothingLeft("job");
        assertThat(tryNow(world().client("b").mutex("job"), lasting())).isPresent();
    }

    /** Uses the name once and lets the start ahead of the clock pass (U6), so that spans are given. */
    private void settle(EngineClient client) throws Exception {
        acquire(client.mutex("job")).close();
        world().elapse(Duration.ofMillis(250));
    }

    /** Nothing tells that a local waiter has taken its place: give its thread time to. */
    private void awaitLocal(EngineClient client, int waiting) throws Exception {
        world().elapse(Duration.ofMillis(4));
        assertThat(client.heard().granted.size()).isLessThan(waiting + 3);
    }

    private static boolean catchTimeout(Attempt attempt) throws Exception {
        try {
            attempt.lease();
            return false;
        } catch (LockTimeoutException expected) {
            return true;
        }
    }
}
