package io.holdfast.tck.engine;

import static io.holdfast.LockOptions.defaults;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Lease;
import io.holdfast.spi.QueueingStore;
import io.holdfast.tck.Clause;
import io.holdfast.tck.VirtualTime;
import io.holdfast.tck.engine.world.EngineClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** L12 and L21: no client starves. */
interface TurnClauses extends EngineClauses {
    /** How long no client waits with four in a loop, if a turn takes no longer than its section. */
    Duration LONGEST_WAIT = Duration.ofSeconds(2);

    @Test
    @Clause("L21")
    default void aClientThatReleasedLeavesTheLockToTheClientThatWaits() throws Exception {
        EngineClient a = world().client("a");
        assumeFalse(a.network().store() instanceof QueueingStore, "the store has a queue");
        assumeTrue(world().fixture().time() instanceof VirtualTime, "the machine's time goes on meanwhile");
        EngineClient b = world().client("b");
        Lease lease = a.mutex("job").acquire(lasting());
        Attempt waiting = start(b.mutex("job"), lasting());
        world().eventually("b waits", () -> b.heard().refusals.get() > 0);
        lease.close();
        int asked = a.network().calls("tryAcquire");

        // Time stands still: only b may ask the store now, and only if it was told of the release.
        assertThat(a.mutex("job").tryAcquire(defaults())).isEmpty();
        assertThat(a.network().calls("tryAcquire"))
                .as("claims of the client that released")
                .isEqualTo(asked);

        world().eventually("b is served", waiting::isDone);
        waiting.lease().close();
        Attempt again = start(a.mutex("job"), lasting());
        world().eventually("a is served again", again::isDone);
        again.lease().close();
        world().nothingLeft("job");
    }

    @Test
    @Clause("L12, L21")
    default void fourClientsInALoopAllGetTheirTurns() throws Exception {
        List<EngineClient> clients =
                List.of(world().client("a"), world().client("b"), world().client("c"), world().client("d"));

        TurnsTaken turns = TurnsTaken.of(world(), clients, "job");

        assertThat(turns.mostOvertakes())
                .as("turns of other clients during one wait; turns of each client: %s", turns.counts())
                .isLessThanOrEqualTo(LONGEST_WAIT.dividedBy(TurnsTaken.SECTION));
    }
}
