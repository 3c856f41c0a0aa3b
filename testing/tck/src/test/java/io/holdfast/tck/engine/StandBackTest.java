package io.holdfast.tck.engine;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.tck.MemoryFixture;
import io.holdfast.tck.engine.world.EngineClient;
import io.holdfast.tck.engine.world.EngineWorld;
import io.holdfast.tck.engine.world.StartedThreads;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** L21 in the engine: a client that releases a lock for which other clients wait does not claim it for a moment. */
class StandBackTest {
    private final EngineWorld world = new EngineWorld(MemoryFixture.pulled(), StartedThreads.begin(getClass()));

    @AfterEach
    void close() throws Exception {
        world.end();
    }

    @Test
    void aClientThatReleasedWhatOthersWaitForClaimsNothingForAPause() throws Exception {
        EngineClient a = world.client("a");
        EngineClient b = world.client("b");
        releasedWhileTheOtherWaits(a, b);
        int asked = a.network().calls("tryAcquire");

        assertThat(a.mutex("job").tryAcquire()).as("a try within the pause").isEmpty();
        assertThatThrownBy(() -> a.mutex("job").acquire(waitUpTo(Duration.ZERO)))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("other clients wait for it");
        CompletableFuture<Lease> waiting = a.mutex("job").acquireAsync(LockOptions.defaults());
        assertThat(waiting).isNotDone();
        assertThat(a.network().calls("tryAcquire"))
                .as("claims within the pause")
                .isEqualTo(asked);

        world.eventually("the pause is over", waiting::isDone);
        waiting.get().close();
    }

    @Test
    void theOtherClientsAreNotKeptOut() throws Exception {
        EngineClient a = world.client("a");
        EngineClient b = world.client("b");
        EngineClient c = world.client("c");
        releasedWhileTheOtherWaits(a, b);

        assertThat(c.mutex("job").tryAcquire()).isPresent();
    }

    @Test
    void aWaitThatEndsWithinThePauseIsATimeout() throws Exception {
        EngineClient a = world.client("a");
        EngineClient b = world.client("b");
        releasedWhileTheOtherWaits(a, b);
        int asked = a.network().calls("tryAcquire");

        CompletableFuture<Lease> waiting = a.mutex("job").acquireAsync(waitUpTo(Duration.ofMillis(5)));
        world.elapse(Duration.ofMillis(6));

        world.eventually("the wait is over", waiting::isDone);
        assertThatThrownBy(waiting::get).hasCauseInstanceOf(LockTimeoutException.class);
        assertThat(a.network().calls("tryAcquire")).isEqualTo(asked);
    }

    @Test
    void aNoteIsForgottenAfterTwoSeconds() throws Exception {
        EngineClient a = world.client("a");
        EngineClient b = world.client("b");
        // The note is two seconds old, and in between no other client waited.
        releasedWhileTheOtherWaits(a, b);
        world.elapse(Duration.ofMillis(2100));

        Lease again = a.mutex("job").acquire(waitUpTo(Duration.ZERO));
        again.close();

        a.mutex("job").acquire(waitUpTo(Duration.ZERO)).close();
    }

    @Test
    void aNameThatLeavesTheMapIsRememberedUntilThePauseIsOver() throws Exception {
        EngineClient a = world.client("a");
        EngineClient b = world.client("b");
        releasedWhileTheOtherWaits(a, b);
        for (int i = 0; i < 1000; i++) {
            a.mutex("other-" + i).acquire(waitUpTo(Duration.ZERO)).close();
        }

        assertThat(a.mutex("job").tryAcquire()).isEmpty();
    }

    /** b waits for what a holds, gives up, and a releases; no virtual time has passed since the release. */
    private void releasedWhileTheOtherWaits(EngineClient a, EngineClient b) throws Exception {
        Lease held = a.mutex("job").acquire(waitUpTo(Duration.ZERO));
        CompletableFuture<Lease> waits = b.mutex("job").acquireAsync(LockOptions.defaults());
        world.eventually("b waits", () -> b.heard().refusals.get() > 0);
        waits.cancel(false);
        held.close();
    }
}
