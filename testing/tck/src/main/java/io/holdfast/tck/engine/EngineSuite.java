package io.holdfast.tck.engine;

import io.holdfast.tck.ClauseNames;
import io.holdfast.tck.RepeatWhenStarved;
import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.engine.world.EngineWorld;
import io.holdfast.tck.engine.world.StartedThreads;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the blocking and the asynchronous suite of the engine have in common. */
@DisplayNameGeneration(ClauseNames.class)
@ExtendWith(RepeatWhenStarved.class)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
abstract class EngineSuite
        implements EngineClauses, AcquireClauses, LossClauses, HandOffClauses, OutageClauses, ErrorClauses {
    private @Nullable EngineWorld world;

    /** A fresh fixture with an empty backend. */
    protected abstract StoreFixture fixture() throws Exception;

    @BeforeEach
    final void openWorld() throws Exception {
        world = new EngineWorld(fixture(), StartedThreads.begin(getClass()));
    }

    @AfterEach
    final void closeWorld() throws Exception {
        EngineWorld closing = world;
        world = null;
        if (closing != null) {
            closing.end();
        }
    }

    @Override
    public final EngineWorld world() {
        EngineWorld current = world;
        if (current == null) {
            throw new IllegalStateException("no test is running");
        }
        return current;
    }
}
