package io.holdfast.tck.store;

import io.holdfast.tck.ClauseNames;
import io.holdfast.tck.ContractWorld;
import io.holdfast.tck.RepeatWhenStarved;
import io.holdfast.tck.StoreFixture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What every {@link io.holdfast.spi.LockStore} promises: clauses S1 to S13, and M1 to M3 if it keeps marks. A store's
 * test extends this and returns its fixture.
 */
@DisplayNameGeneration(ClauseNames.class)
@ExtendWith(RepeatWhenStarved.class)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
public abstract class LockStoreContract
        implements OwnershipClauses,
                ModeClauses,
                TokenClauses,
                TimeClauses,
                RevocationClauses,
                InspectionClauses,
                WaitNoteClauses,
                RepeatClauses,
                UnknownClauses,
                NameClauses,
                ConcurrencyClauses,
                MarkClauses {
    private @Nullable ContractWorld world;

    /** For the test of a store. */
    protected LockStoreContract() {}

    /** A fresh fixture with an empty backend. */
    protected abstract StoreFixture fixture() throws Exception;

    @BeforeEach
    final void openWorld() throws Exception {
        world = new ContractWorld(fixture());
    }

    @AfterEach
    final void closeWorld() throws Exception {
        ContractWorld closing = world;
        world = null;
        if (closing != null) {
            closing.close();
        }
    }

    @Override
    public final ContractWorld world() {
        ContractWorld current = world;
        if (current == null) {
            throw new IllegalStateException("no test is running");
        }
        return current;
    }
}
