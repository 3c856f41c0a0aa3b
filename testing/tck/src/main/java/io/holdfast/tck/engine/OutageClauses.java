package io.holdfast.tck.engine;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.tck.Clause;
import io.holdfast.tck.TestTime;
import io.holdfast.tck.engine.world.EngineClient;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** L14: an outage during a wait is reported as an outage, not as a timeout. */
interface OutageClauses extends EngineClauses {
    @Test
    @Clause("L14, P5")
    default void anOutageDuringAWaitIsReportedAsOne() throws Exception {
        EngineClient a = world().client("a");
        EngineClient b = world().client("b");
        Lease lease = acquire(a.mutex("job"), lasting());
        Attempt attempt = start(b.mutex("job"), waitUpTo(TestTime.scaled(Duration.ofSeconds(2))));
        world().eventually("b waits", () -> b.heard().refusals.get() > 0);

        b.cutOff();
        b.network().losePlaces();

        world().eventually("the wait is over", attempt::isDone);
        assertThatThrownBy(attempt::lease).isInstanceOf(StoreUnavailableException.class);
        b.network().heal();
        lease.close();
        world().nothingLeft("job");
    }

    @Test
    @Clause("L14")
    default void aHolderWhoseLeaseIsOverIsNotNamedAsHolding() throws Exception {
        EngineClient a = world().client("holder-of-old");
        EngineClient b = world().client("b");
        Lease lease = acquire(a.mutex("job"), brief());
        Duration wait = world().shortTtl().multipliedBy(2).plus(TestTime.scaled(Duration.ofSeconds(1)));
        Attempt attempt = start(b.mutex("job"), waitUpTo(wait));
        world().eventually("b waits", () -> b.heard().refusals.get() > 0);
        b.cutOff();
        b.network().losePlaces();
        lease.close();

        world().eventually("the wait is over", attempt::isDone);

        assertThatThrownBy(attempt::lease)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageNotContaining("held by")
                .hasMessageNotContaining("holder-of-old");
        b.network().heal();
        world().nothingLeft("job");
    }
}
