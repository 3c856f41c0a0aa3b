package io.holdfast.tck.engine;

import static io.holdfast.LockOptions.defaults;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Election;
import io.holdfast.Lease;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import io.holdfast.tck.Clause;
import io.holdfast.tck.TestTime;
import io.holdfast.tck.engine.world.EngineClient;
import io.holdfast.tck.engine.world.EngineWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** E1 to E5: what {@link Election} promises to a candidate. */
interface ElectionClauses extends EngineClauses {
    @Test
    @Clause("E1, E2")
    default void aCandidateIsDeposedOnceForEachElectionWhateverEndsIt() throws Exception {
        EngineClient a = world().client("a");
        Told told = new Told();
        Election.Candidacy candidacy = a.holdfast().election("lead").stand(brief(), told);

        world().eventually("it leads", candidacy::isLeader);
        candidacy.resign();
        told.endsBy(world(), 1, LossReason.RESIGNED);

        world().eventually("it leads after it resigned", candidacy::isLeader);
        candidacy.leadership().orElseThrow().release();
        told.endsBy(world(), 2, LossReason.RESIGNED);

        world().eventually("it leads after it released its lease", candidacy::isLeader);
        a.cutOff();
        world().elapse(world().shortTtl());
        told.endsBy(world(), 3, LossReason.EXPIRED);
        a.network().heal();

        world().eventually("it leads after it lost its lease", candidacy::isLeader);
        candidacy.close();
        told.endsBy(world(), 4, LossReason.RESIGNED);
        world().nothingLeft("lead");

        assertThat(candidacy.isLeader()).isFalse();
        told.alternates(4);
    }

    @Test
    @Clause("E1")
    default void aCandidateThatFailsWhenItIsElectedResignsAndStandsAgain() throws Exception {
        EngineClient a = world().client("a");
        AtomicInteger failures = new AtomicInteger(2);
        Told told = new Told() {
            @Override
            public synchronized void elected(Lease leadership) {
                super.elected(leadership);
                if (failures.getAndDecrement() > 0) {
                    throw new LinkageError("a class is missing");
                }
            }
        };
        Election.Candidacy candidacy = a.holdfast().election("lead").stand(brief(), told);

        told.endsBy(world(), 2, LossReason.RESIGNED);
        world().eventually("it leads at the third time", () -> told.elections() == 3 && candidacy.isLeader());

        candidacy.close();
        told.endsBy(world(), 3, LossReason.RESIGNED);
        told.alternates(3);
    }

    @Test
    @Clause("E1, P4")
    default void closingTheClientDeposesItsLeaderOnce() throws Exception {
        EngineClient a = world().client("a");
        Told told = new Told();
        Election.Candidacy candidacy = a.holdfast().election("lead").stand(brief(), told);
        world().eventually("it leads", () -> told.elections() == 1);

        a.holdfast().close();

        told.endsBy(world(), 1, LossReason.CLIENT_CLOSED);
        candidacy.close();
        assertThat(candidacy.isLeader()).isFalse();
        assertThatThrownBy(() -> candidacy.awaitLeadership(Duration.ZERO)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> a.holdfast().election("lead").stand(told)).isInstanceOf(IllegalStateException.class);
        told.alternates(1);
    }

    @Test
    @Clause("E3")
    default void aLeadershipThatIsGivenUpIsReleasedAfterTheCandidateWasTold() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        Election.Candidacy candidacy = a.holdfast().election("lead").stand(lasting(), new Election.Candidate() {
            @Override
            public void elected(Lease leadership) {}

            @Override
            public void deposed(Loss loss) throws InterruptedException {
                told.countDown();
                stopped.await(TestTime.patience().toMillis(), TimeUnit.MILLISECONDS);
            }
        });
        world().eventually("it leads", candidacy::isLeader);

        candidacy.close();
        world().eventually("the candidate is told", () -> told.getCount() == 0);
        assertThat(candidacy.isLeader()).isFalse();
        assertThat(b.mutex("lead").tryAcquire(defaults())).isEmpty();

        stopped.countDown();
        world().nothingLeft("lead");
    }

    @Test
    @Clause("E4, E5")
    default void workLeadsUntilItEndsAndIsInterruptedWhenItsLeadershipDoes() throws Exception {
        EngineClient a = world().client("a");
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger interrupted = new AtomicInteger();
        Election.Candidacy candidacy = a.holdfast().election("lead").lead(brief(), leadership -> {
            if (begun.incrementAndGet() == 1) {
                return; // has nothing to do
            }
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.incrementAndGet();
                throw e;
            }
        });

        world().eventually("the work begins again after it returned", () -> begun.get() == 2);
        a.cutOff();
        world().elapse(world().shortTtl());
        world().eventually("the loss interrupts it", () -> interrupted.get() == 1);
        a.network().heal();
        world().eventually("it begins again after the loss", () -> begun.get() == 3);
        candidacy.resign();
        world().eventually("resigning interrupts it", () -> interrupted.get() == 2);
        world().eventually("it begins again after it resigned", () -> begun.get() == 4);
        candidacy.close();
        world().eventually("closing interrupts it", () -> interrupted.get() == 3);

        world().nothingLeft("lead");
        assertThat(begun.get()).isEqualTo(4);
    }

    @Test
    @Clause("E5")
    default void workThatDoesNotEndKeepsItsLeadership() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Election.Candidacy candidacy = a.holdfast().election("lead").lead(lasting(), leadership -> {
            begun.countDown();
            while (end.getCount() > 0) {
                try {
                    end.await(TestTime.patience().toMillis(), TimeUnit.MILLISECONDS);
                } catch (InterruptedException ignored) {
                    interrupted.countDown();
                }
            }
        });
        world().eventually("the work begins", () -> begun.getCount() == 0);

        candidacy.close();
        world().eventually("it is interrupted", () -> interrupted.getCount() == 0);
        assertThat(b.mutex("lead").tryAcquire(defaults())).isEmpty();

        end.countDown();
        world().nothingLeft("lead");
    }

    @Test
    @Clause("E1")
    default void aThreadCanWaitForItsLeadership() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        Election.Candidacy first = a.holdfast().election("lead").stand(brief(), new Told());
        world().eventually("a leads", first::isLeader);
        assertThat(first.awaitLeadership().token())
                .isEqualTo(first.leadership().orElseThrow().token());
        Election.Candidacy second = b.holdfast().election("lead").stand(brief(), new Told());
        assertThat(second.awaitLeadership(Duration.ZERO)).isEmpty();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> second.awaitLeadership(Duration.ofMinutes(5)))
                .isInstanceOf(InterruptedException.class);
        FutureTask<Lease> leading = new FutureTask<>(second::awaitLeadership);
        Thread waiting = new Thread(leading, "tck-candidate");
        waiting.setDaemon(true);
        waiting.start();

        first.close();

        world().eventually("b leads", leading::isDone);
        assertThat(leading.get().token()).isPositive();
        second.close();
        assertThatThrownBy(second::awaitLeadership).isInstanceOf(IllegalStateException.class);
        world().nothingLeft("lead");
    }

    /** What a candidate was told, in order. */
    class Told implements Election.Candidate {
        private final List<String> calls = new ArrayList<>();
        private final List<Loss> ends = new ArrayList<>();
        private int elections;

        @Override
        public synchronized void elected(Lease leadership) {
            elections++;
            calls.add("elected " + leadership.token());
        }

        @Override
        public synchronized void deposed(Loss loss) {
            calls.add("deposed " + loss.token());
            ends.add(loss);
        }

        synchronized int elections() {
            return elections;
        }

        private synchronized int ends() {
            return ends.size();
        }

        /** Waits until it was deposed so often, and sees why the last time. */
        void endsBy(EngineWorld world, int times, LossReason reason) throws InterruptedException {
            world.eventually("the candidate was deposed " + times + " times", () -> ends() >= times);
            synchronized (this) {
                assertThat(ends.get(times - 1).reason()).isEqualTo(reason);
            }
        }

        /** It was told of so many leaderships, each with its begin and its end, one after the other. */
        synchronized void alternates(int times) {
            List<String> expected = new ArrayList<>();
            for (Loss end : ends) {
                expected.add("elected " + end.token());
                expected.add("deposed " + end.token());
            }
            assertThat(calls).hasSize(2 * times).isEqualTo(expected);
        }
    }
}
