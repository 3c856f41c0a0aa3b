package io.holdfast.tck.engine;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Election;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import io.holdfast.tck.MemoryFixture;
import io.holdfast.tck.engine.world.EngineClient;
import io.holdfast.tck.engine.world.EngineWorld;
import io.holdfast.tck.engine.world.StartedThreads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** U36: what happens to a lease or a candidacy when the program has dropped its object. */
class DroppedHandleTest {
    private static final Duration TTL = Duration.ofSeconds(2);
    private static final LockOptions BRIEF = waitUpTo(Duration.ofMinutes(5)).ttl(TTL);

    private EngineWorld world;

    @BeforeEach
    void open() {
        world = new EngineWorld(new MemoryFixture(), StartedThreads.begin(getClass()));
    }

    @AfterEach
    void close() throws Exception {
        world.end();
    }

    @Test
    void aDroppedLeaseWithCallbacksIsNotRenewedAndTellsOfItsEnd() throws Exception {
        EngineClient a = world.client("a");
        List<Duration> jeopardies = new CopyOnWriteArrayList<>();
        List<Loss> losses = new CopyOnWriteArrayList<>();
        long token = acquireAndDrop(a, jeopardies, losses);

        collectUntil("the loss is told", () -> !losses.isEmpty());

        assertThat(losses).singleElement().satisfies(loss -> {
            assertThat(loss.reason()).isEqualTo(LossReason.EXPIRED);
            assertThat(loss.token()).isEqualTo(token);
        });
        assertThat(jeopardies).as("told when the renewal stopped").hasSize(1);
        assertThat(a.heard().losses).as("what the client's listener heard").hasSize(1);
        assertThat(world.client("b").mutex("job").tryAcquire(BRIEF)).isPresent();
    }

    @Test
    void aDroppedLeaseWithoutCallbacksEndsWithItsTtl() throws Exception {
        EngineClient a = world.client("a");
        a.mutex("job").acquire(BRIEF).detach();

        collectUntil("the lock is free", () -> a.heard().losses.size() == 1);

        assertThat(world.client("b").mutex("job").tryAcquire(BRIEF)).isPresent();
    }

    @Test
    void aLeaderThatDroppedItsCandidacyGoesOnLeadingAndIsToldOfItsEnd() throws Exception {
        EngineClient a = world.client("a");
        EngineClient b = world.client("b");
        ElectionClauses.Told first = new ElectionClauses.Told();
        a.holdfast().election("lead").stand(BRIEF, first);
        world.eventually("a leads", () -> first.elections() == 1);
        ElectionClauses.Told second = new ElectionClauses.Told();
        b.holdfast().election("lead").stand(BRIEF, second);

        collect(30);

        assertThat(second.elections()).isZero();
        a.holdfast().close();
        first.endsBy(world, 1, LossReason.CLIENT_CLOSED);
        world.eventually("b leads", () -> second.elections() == 1);
        first.alternates(1);
    }

    @Test
    void aCandidacyThatIsClosedIsNotKept() throws Exception {
        EngineClient a = world.client("a");
        AtomicInteger elections = new AtomicInteger();
        Election.Candidacy candidacy = a.holdfast().election("lead").stand(BRIEF, lease -> elections.incrementAndGet());
        world.eventually("it leads", candidacy::isLeader);
        candidacy.close();
        world.nothingLeft("lead");

        collect(10);

        assertThat(elections).hasValue(1);
        world.nothingLeft("lead");
    }

    private static long acquireAndDrop(EngineClient client, List<Duration> jeopardies, List<Loss> losses)
            throws InterruptedException {
        Lease lease = client.mutex("job").acquire(BRIEF);
        lease.onJeopardy(jeopardies::add).onLost(losses::add);
        return lease.token();
    }

    /** Collects garbage and lets half a TTL pass, until it is so. */
    private void collectUntil(String what, BooleanSupplier so) throws InterruptedException {
        for (int i = 0; i < 200 && !so.getAsBoolean(); i++) {
            collect(1);
        }
        world.eventually(what, so);
    }

    private void collect(int times) throws InterruptedException {
        for (int i = 0; i < times; i++) {
            System.gc();
            world.elapse(TTL.dividedBy(2));
        }
    }
}
