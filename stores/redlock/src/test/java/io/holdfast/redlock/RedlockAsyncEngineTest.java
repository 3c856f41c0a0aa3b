package io.holdfast.redlock;

import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.engine.AsyncEngineContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The engine keeps its promises to asynchronous callers over {@link RedlockStore}. */
@SuppressWarnings("NullAway.Init") // JUnit starts the nodes before the first test
class RedlockAsyncEngineTest extends AsyncEngineContract {
    private static Nodes nodes;

    @BeforeAll
    static void start() {
        nodes = Nodes.settled(RedlockFixture.MAX_TTL);
    }

    @AfterAll
    static void stop() {
        nodes.close();
    }

    @Override
    protected StoreFixture fixture() {
        return new RedlockFixture(nodes);
    }
}
