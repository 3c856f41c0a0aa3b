package io.holdfast.redlock;

import io.holdfast.tck.StoreFixture;
import io.holdfast.tck.store.LockStoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** {@link RedlockStore} keeps the contract on five nodes. */
@SuppressWarnings("NullAway.Init") // JUnit starts the nodes before the first test
class RedlockStoreContractTest extends LockStoreContract {
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
