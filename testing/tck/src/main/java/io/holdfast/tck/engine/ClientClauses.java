package io.holdfast.tck.engine;

import static io.holdfast.LockOptions.defaults;
import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.CheckResult;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Election;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LeaseSet;
import io.holdfast.LeaseState;
import io.holdfast.LockTimeoutException;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.spi.MarkingStore;
import io.holdfast.tck.Clause;
import io.holdfast.tck.engine.world.EngineClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What a client offers beside acquiring: sequencers, several locks, semaphores, inspection, listeners, closing. */
interface ClientClauses extends EngineClauses {
    @Test
    @Clause("P1, P5")
    default void severalLocksAreAcquiredAllOrNone() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        Lease held = b.mutex("m-2").acquire(defaults());

        assertThat(a.holdfast().mutexes("m-3", "m-1", "m-2").tryAcquire(defaults()))
                .isEmpty();
        assertThat(world().store().names("m-", 9)).containsExactly("m-2");
        held.close();
        try (LeaseSet all = a.holdfast().mutexes("m-3", "m-1", "m-2").acquire(defaults())) {
            all.ensureValid();
            assertThat(all.leases()).extracting(Lease::lockName).containsExactly("m-1", "m-2", "m-3");
            assertThat(all.lease("m-2").state()).isEqualTo(LeaseState.HELD);
            assertThat(world().store().names("m-", 9)).containsExactly("m-1", "m-2", "m-3");
        }
        world().nothingLeft("m-");
    }

    @Test
    @Clause("P5")
    default void severalLocksThatAreNotAllObtainedInTimeLeaveNothing() throws Exception {
        EngineClient a = world().client("a");
        Lease held = world().client("b").mutex("m-2").acquire(defaults());

        assertThatThrownBy(() -> a.holdfast().mutexes("m-1", "m-2").acquire(waitUpTo(Duration.ZERO)))
                .isInstanceOf(LockTimeoutException.class);

        held.close();
        world().nothingLeft("m-");
    }

    @Test
    @Clause("P1, C2")
    default void aSemaphoreHasSoManyPermitsAmongAllClients() throws Exception {
        EngineClient a = world().client("a");
        assumeTrue(a.network().store().info().modes().contains(Mode.PERMIT), "the store does not offer permits");
        DistributedSemaphore here = a.holdfast().semaphore("pool", 3);
        DistributedSemaphore there = world().client("b").holdfast().semaphore("pool", 3);
        Lease one = here.tryAcquire().orElseThrow();
        Lease two = here.tryAcquire().orElseThrow();
        Lease three = there.tryAcquire().orElseThrow();
        assertThat(List.of(one.token(), two.token(), three.token())).doesNotHaveDuplicates();

        assertThat(there.tryAcquire()).isEmpty();
        assertThat(here.tryAcquire()).isEmpty();
        two.close();
        there.tryAcquire().orElseThrow().close();
        one.close();
        three.close();
        world().nothingLeft("pool");
    }

    @Test
    @Clause("P4, P2")
    default void aLeaderResignsAtItsLocalDeadlineAndItsSuccessorHasAHigherToken() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        Events first = new Events();
        Events second = new Events();
        Election.Candidacy here = a.holdfast().election("lead").stand(brief(), first);
        world().eventually("a leads", here::isLeader);
        Election.Candidacy there = b.holdfast().election("lead").stand(brief(), second);
        world().eventually("b waits", () -> b.heard().refusals.get() > 0);
        assertThat(a.holdfast().election("lead").leader()).isPresent();
        assertThat(there.isLeader()).isFalse();
        long token = here.leadership().orElseThrow().token();

        a.cutOff();
        world().elapse(world().shortTtl());
        assertThat(here.isLeader()).isFalse();
        world().eventually("b leads", there::isLeader);

        world().eventually("a was told", () -> first.losses.size() == 1);
        world().eventually("b was told", () -> second.leaderships.size() == 1);
        assertThat(second.leaderships.get(0).token()).isGreaterThan(token);
        a.network().heal();
        there.close();
        world().eventually("a leads again", here::isLeader);
        here.close();
        world().nothingLeft("lead");
    }

    @Test
    @Clause("P4")
    default void aLeaderThatResignsStandsBehindTheOthers() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        Election.Candidacy here = a.holdfast().election("lead").stand(brief(), new Events());
        world().eventually("a leads", here::isLeader);
        Election.Candidacy there = b.holdfast().election("lead").stand(brief(), new Events());
        world().eventually("b waits", () -> b.heard().refusals.get() > 0);

        here.resign();

        world().eventually("b leads", there::isLeader);
        assertThat(here.isLeader()).isFalse();
        there.close();
        world().eventually("a leads again", here::isLeader);
        here.close();
    }

    @Test
    @Clause("P4, P5")
    default void closingTheClientTellsHoldersReleasesAndFailsThoseWhoWait() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        Lease foreign = b.mutex("busy").acquire(defaults());
        Lease lease = a.mutex("job").acquire(defaults());
        List<Loss> told = new CopyOnWriteArrayList<>();
        lease.onLost(told::add);
        Attempt waiting = start(a.mutex("busy"), brief());
        world().eventually("a client waits", () -> a.heard().refusals.get() > 0);

        a.holdfast().close();

        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        world().eventually("the holder is told", () -> !told.isEmpty());
        assertThat(told.get(0).reason()).isEqualTo(LossReason.CLIENT_CLOSED);
        world().eventually("the waiter has failed", waiting::isDone);
        assertThatThrownBy(waiting::lease).isInstanceOf(HoldfastException.class);
        assertThat(b.mutex("job").tryAcquire()).isPresent();
        assertThatThrownBy(() -> a.mutex("other").tryAcquire()).isInstanceOf(IllegalStateException.class);
        lease.close();
        foreign.close();
        world().nothingLeft("busy");
    }

    @Test
    @Clause("P2")
    default void aSequencerIsValidWhileItsLeaseIsHeldAndStaleAfterwards() throws Exception {
        EngineClient a = world().client("a");
        Lease lease = a.mutex("job").acquire(defaults());
        Sequencer sequencer = Sequencer.parse(lease.sequencer().text());
        assertThat(a.holdfast().check(sequencer)).isEqualTo(CheckResult.VALID);

        lease.close();

        assertThat(a.holdfast().check(sequencer)).isEqualTo(CheckResult.STALE);
        Sequencer future = new Sequencer("job", Mode.EXCLUSIVE, sequencer.token() + 3_600_000_000L);
        assertThat(a.holdfast().check(future)).isEqualTo(CheckResult.UNKNOWN);
    }

    @Test
    @Clause("P2, U1")
    default void theStoresMarkRefusesAStaleHolder() throws Exception {
        EngineClient a = world().client("a");
        assumeTrue(a.network().store() instanceof MarkingStore, "the store keeps no marks");
        Lease old = a.mutex("job").acquire(defaults());
        a.holdfast().admit("file", old.sequencer());
        Sequencer stale = old.sequencer();
        old.close();
        Lease current = a.mutex("job").acquire(defaults());
        a.holdfast().admit("file", current.sequencer());

        assertThatThrownBy(() -> a.holdfast().admit("file", stale)).isInstanceOf(StaleTokenException.class);

        current.close();
    }

    @Test
    @Clause("P1")
    default void runIfFreeRunsOnlyIfTheLockIsFree() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        boolean outer = a.mutex("job").runIfFree(lease -> {
            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
            assertThat(b.mutex("job").runIfFree(other -> {
                        throw new IllegalStateException("two holders");
                    }))
                    .isFalse();
        });
        assertThat(outer).isTrue();
        world().nothingLeft("job");
    }

    /** What a candidate was told. */
    final class Events implements Election.Candidate {
        final List<Lease> leaderships = new CopyOnWriteArrayList<>();
        final List<Loss> losses = new CopyOnWriteArrayList<>();

        int elections() {
            return leaderships.size();
        }

        @Override
        public void elected(Lease leadership) {
            leaderships.add(leadership);
        }

        @Override
        public void deposed(Loss loss) {
            losses.add(loss);
        }
    }
}
