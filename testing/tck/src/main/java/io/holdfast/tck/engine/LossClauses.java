package io.holdfast.tck.engine;

import static io.holdfast.LockOptions.defaults;
import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import io.holdfast.ReleaseOutcome;
import io.holdfast.Revocation;
import io.holdfast.tck.Clause;
import io.holdfast.tck.FaultyStore.Fate;
import io.holdfast.tck.VirtualTime;
import io.holdfast.tck.engine.world.EngineClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** P4 and P6: how a lease is lost, and what its holder is told. */
interface LossClauses extends EngineClauses {
    @Test
    @Clause("P4")
    default void renewalKeepsALeaseBeyondItsTtl() throws Exception {
        EngineClient a = world().client("a");
        Lease lease = acquire(a.mutex("job"), brief());

        world().elapse(world().shortTtl().multipliedBy(3));

        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(tryNow(world().client("b").mutex("job"), defaults())).isEmpty();
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    @Clause("P4, L11")
    default void lossIsToldAtTheLocalDeadlineWithoutTheStoreAndNothingIsSentAfterwards() throws Exception {
        EngineClient a = world().client("a");
        Lease lease = acquire(a.mutex("job"), brief());
        List<Loss> told = new CopyOnWriteArrayList<>();
        lease.onLost(told::add);
        a.cutOff();

        world().elapse(world().shortTtl());
        world().eventually("the loss is told", () -> !told.isEmpty());

        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(lease.remaining()).isZero();
        assertThat(told.get(0).reason()).isEqualTo(LossReason.EXPIRED);
        assertThat(told.get(0).token()).isEqualTo(lease.token());
        assertThatThrownBy(lease::ensureValid)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.token()).isEqualTo(lease.token()));
        int calls = a.calls();
        world().elapse(world().shortTtl().multipliedBy(2));
        assertThat(a.calls()).as("calls after the loss").isEqualTo(calls);
        assertThat(told).hasSize(1);
    }

    @Test
    @Clause("P4")
    default void theHolderBelievesInItsLeaseForLessTimeThanTheStore() throws Exception {
        EngineClient a = world().client("a");
        Lease lease = acquire(a.mutex("job"), brief());
        Duration drift = world().shortTtl().dividedBy(100).plusMillis(2);

        assertThat(lease.remaining())
                .isPositive()
                .isLessThanOrEqualTo(world().shortTtl().minus(drift));
    }

    @Test
    @Clause("P4")
    default void failingRenewalIsJeopardyAndAnAnsweredOneEndsIt() throws Exception {
        EngineClient a = world().client("a");
        Lease lease = acquire(a.mutex("job"), brief());
        AtomicInteger warnings = new AtomicInteger();
        lease.onJeopardy(left -> warnings.incrementAndGet());
        a.network().cut("renew");

        world().eventually("the lease is in jeopardy", () -> lease.state() == LeaseState.JEOPARDY);
        assertThat(lease.remaining()).isPositive();
        lease.ensureValid();
        world().eventually("the warning arrives", () -> warnings.get() == 1);
        a.network().heal();

        world().eventually("the lease is held again", () -> lease.state() == LeaseState.HELD);
        world().elapse(world().shortTtl().multipliedBy(2));
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(a.heard().losses).isEmpty();
    }

    @Test
    @Clause("P4, U10")
    default void aRenewalAnsweredAfterTheDeadlineIsIgnored() throws Exception {
        EngineClient a = world().client("a");
        Lease lease = acquire(a.mutex("job"), brief());
        a.network().next("renew", Fate.REPLY_LATE);
        world().eventually("a renewal is under way", () -> a.network().calls("renew") == 1);
        a.network().cut("renew");
        world().elapse(world().shortTtl());
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);

        a.network().deliverLate();

        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThatThrownBy(lease::ensureValid).isInstanceOf(LeaseLostException.class);
    }

    @Test
    @Clause("P4")
    default void aPausedHolderKnowsOfItsLossBeforeAnyTimerRan() throws Exception {
        VirtualTime time = virtualTime();
        EngineClient a = world().client("a");
        Lease lease = acquire(a.mutex("job"), brief());

        time.pauseProcess(world().shortTtl());

        assertThatThrownBy(lease::ensureValid).isInstanceOf(LeaseLostException.class);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    @Clause("P4, U10")
    default void aRenewalAnsweredDuringAPauseBeyondTheDeadlineIsIgnored() throws Exception {
        VirtualTime time = virtualTime();
        EngineClient a = world().client("a");
        Lease lease = acquire(a.mutex("job"), brief());
        a.network().next("renew", Fate.REPLY_LATE);
        world().eventually("a renewal is under way", () -> a.network().calls("renew") == 1);
        a.network().cut("renew");
        time.pauseProcess(world().shortTtl().multipliedBy(3).dividedBy(4));

        a.network().deliverLate();

        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    @Clause("U21")
    default void afterASuspendTheLeaseIsInDoubtUntilARenewalIsAnswered() throws Exception {
        EngineClient a = world().client("a");
        Lease lease = acquire(a.mutex("job"), brief());
        a.network().cut("renew");

        a.clock().shift(Duration.ofMinutes(1));

        assertThat(lease.state()).isEqualTo(LeaseState.JEOPARDY);
        assertThatThrownBy(lease::ensureValid).isInstanceOf(LeaseLostException.class);
        a.network().heal();
        world().eventually("a renewal is answered", () -> lease.state() == LeaseState.HELD);
        lease.ensureValid();
    }

    @Test
    @Clause("P4")
    default void maxHoldEndsALeaseThatIsStillRenewed() throws Exception {
        EngineClient a = world().client("a");
        Lease lease = acquire(a.mutex("job"), brief().maxHold(world().shortTtl().multipliedBy(2)));
        world().elapse(world().shortTtl().multipliedBy(3).dividedBy(2));
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);

        world().elapse(world().shortTtl());

        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThatThrownBy(lease::ensureValid)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.reason()).isEqualTo(LossReason.MAX_HOLD));
    }

    @Test
    @Clause("P4")
    default void withoutRenewalTheLeaseEndsWithItsTtl() throws Exception {
        EngineClient a = world().client("a");
        Lease lease = acquire(a.mutex("job"), brief().noRenewal());

        world().elapse(world().shortTtl());

        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(a.network().calls("renew")).isZero();
    }

    @Test
    @Clause("P4, U17")
    default void aRevokedHolderIsTold() throws Exception {
        EngineClient a = world().client("a");
        Lease lease = acquire(a.mutex("job"), brief());

        assertThat(a.holdfast().revoke("job", Revocation.AT_LEASE_END)).isPresent();
        world().eventually("the loss is noticed", () -> lease.state() == LeaseState.LOST);

        assertThatThrownBy(lease::ensureValid)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.reason()).isEqualTo(LossReason.REVOKED));
    }

    @Test
    @Clause("P4")
    default void workThatOutlivesItsLeaseEndsWithLeaseLost() throws Exception {
        EngineClient a = world().client("a");
        assertThatThrownBy(() -> callHeld(a.mutex("job"), brief(), lease -> {
                    a.cutOff();
                    world().elapse(world().shortTtl());
                    a.network().heal();
                    return lease.token();
                }))
                .isInstanceOf(LeaseLostException.class);
    }

    @Test
    @Clause("P4")
    default void workThatFailsReleasesAndItsOwnExceptionIsSeen() throws Exception {
        EngineClient a = world().client("a");
        assertThatThrownBy(() -> callHeld(a.mutex("job"), brief(), lease -> {
                    throw new java.io.IOException("disk");
                }))
                .isInstanceOf(java.io.IOException.class);
        world().nothingLeft("job");
        assertThat(callHeld(a.mutex("job"), brief(), Lease::state)).isEqualTo(LeaseState.HELD);
        world().nothingLeft("job");
    }

    @Test
    @Clause("P6, L11, U17")
    default void closingALostLeaseSaysSoAndEndsItsLockDelay() throws Exception {
        EngineClient a = world().client("a");
        assumeTrue(a.network().store().info().lockDelay(), "the store does not offer a lock-delay");
        EngineClient b = world().client("b");
        Lease lease = acquire(a.mutex("job"), brief().lockDelay(Duration.ofMinutes(10)));
        a.cutOff();
        world().elapse(world().shortTtl().plus(world().shortTtl().dividedBy(2)));
        a.network().heal();
        assertThat(tryNow(b.mutex("job"), defaults())).isEmpty();

        Thread.currentThread().interrupt();
        lease.close();
        assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();

        assertThat(lease.release()).isEqualTo(ReleaseOutcome.EXPIRED);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(tryNow(b.mutex("job"), defaults())).isPresent();
    }

    @Test
    @Clause("P6")
    default void aReleaseAfterAnotherTookTheLockSaysTaken() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        Lease stale = acquire(a.mutex("job"), brief());
        a.cutOff();
        world().elapse(world().shortTtl().plus(world().shortTtl().dividedBy(2)));
        Lease current = tryNow(b.mutex("job"), defaults()).orElseThrow();
        a.network().heal();

        assertThat(stale.release()).isEqualTo(ReleaseOutcome.TAKEN);

        assertThat(current.token()).isGreaterThan(stale.token());
        assertThat(current.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(current.release()).as("asked again").isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    @Clause("P6, C6")
    default void aReleaseWhoseReplyWasLostIsUnknownAndTheLockIsFree() throws Exception {
        for (Fate fate : List.of(Fate.REPLY_LOST, Fate.REQUEST_LOST)) {
            EngineClient a = world().client("a-" + fate);
            Lease lease = acquire(a.mutex("job-" + fate));
            a.network().next("release", fate);

            assertThat(lease.release()).isEqualTo(ReleaseOutcome.UNKNOWN);

            world().nothingLeft("job-" + fate);
        }
    }

    /** The time of a test that stops the process. */
    private VirtualTime virtualTime() {
        assumeTrue(world().fixture().time() instanceof VirtualTime, "only virtual time passes without timers");
        return (VirtualTime) world().fixture().time();
    }

    @Test
    @Clause("P3")
    default void aDeadClientsLockIsGrantedToAWaiterInTime() throws Exception {
        EngineClient dead = world().client("dead");
        EngineClient b = world().client("b");
        acquire(dead.mutex("job"), brief());
        Attempt attempt = start(b.mutex("job"), waitUpTo(Duration.ofMinutes(5)));
        world().eventually("b waits", () -> b.heard().refusals.get() > 0);
        dead.cutOff();

        world().elapse(world().shortTtl().plusSeconds(2));

        world().eventually("b is served", attempt::isDone);
        attempt.lease().close();
    }
}
