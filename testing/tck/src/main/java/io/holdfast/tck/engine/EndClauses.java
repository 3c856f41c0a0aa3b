package io.holdfast.tck.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Election;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.Loss;
import io.holdfast.tck.Clause;
import io.holdfast.tck.FaultyStore.Fate;
import io.holdfast.tck.engine.world.EngineClient;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** L16 and U36: what a closed client leaves behind, and a lease whose object was dropped. */
interface EndClauses extends EngineClauses {
    @Test
    @Clause("L16, P5")
    default void aCloseDuringATryLeavesNothing() throws Exception {
        EngineClient a = world().client("a");
        a.network().next("tryAcquire", Fate.REPLY_LATE);
        FutureTask<Optional<Lease>> trying =
                new FutureTask<>(() -> a.mutex("job").tryAcquire(lasting()));
        FutureTask<Boolean> closing = new FutureTask<>(() -> a.holdfast().close(), true);
        daemon(trying);
        world().eventually("the try is under way", () -> a.network().calls("tryAcquire") == 1);

        daemon(closing);
        world().eventually("the client is closed to new requests", () -> isClosed(a));
        a.network().deliverLate();

        world().eventually("the try ends", trying::isDone);
        world().eventually("close() returns", closing::isDone);
        world().nothingLeft("job");
    }

    @Test
    @Clause("U36, P4")
    default void theLossOfALeaseWhoseObjectWasDroppedIsTold() throws Exception {
        EngineClient a = world().client("a");
        List<Loss> told = new CopyOnWriteArrayList<>();
        acquireAndDrop(a, told);
        letTheCollectorRun();

        a.cutOff();
        world().elapse(world().shortTtl().multipliedBy(2));

        world().eventually("the loss is told", () -> told.size() == 1);
        assertThat(told.get(0).lockName()).isEqualTo("job");
    }

    @Test
    @Clause("U36, P4")
    default void aCandidacyWhoseObjectWasDroppedStandsAndItsLossIsTold() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        ClientClauses.Events first = new ClientClauses.Events();
        ClientClauses.Events second = new ClientClauses.Events();
        standAndDrop(a, first);
        world().eventually("a leads", () -> first.elections() == 1);
        Election.Candidacy there = b.holdfast().election("lead").stand(brief(), second);
        world().eventually("b waits", () -> b.heard().refusals.get() > 0);

        letTheCollectorRun();

        assertThat(second.elections())
                .as("the second candidate, while the first leads")
                .isZero();
        assertThat(first.losses).isEmpty();
        a.cutOff();
        world().eventually("b leads", there::isLeader);
        world().eventually("a was told", () -> first.losses.size() == 1);
        there.close();
    }

    /** In a method of its own: nothing on the test's stack refers to the lease. */
    private void acquireAndDrop(EngineClient client, List<Loss> told) throws Exception {
        client.mutex("job").acquire(brief()).detach().onLost(told::add);
    }

    private void standAndDrop(EngineClient client, Election.Candidate candidate) {
        Election.Candidacy dropped = client.holdfast().election("lead").stand(brief(), candidate);
        assertThat(dropped).isNotNull();
    }

    /** Several renewals and collections pass. */
    private void letTheCollectorRun() throws InterruptedException {
        for (int i = 0; i < 6; i++) {
            System.gc();
            world().elapse(world().shortTtl().dividedBy(2));
        }
    }

    private static boolean isClosed(EngineClient client) {
        try {
            client.mutex("other").tryAcquire().ifPresent(Lease::close);
            return false;
        } catch (IllegalStateException closed) {
            return true;
        } catch (HoldfastException met) {
            return false; // It met the close half-way; the next one is refused.
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "tck-end");
        thread.setDaemon(true);
        thread.start();
    }
}
