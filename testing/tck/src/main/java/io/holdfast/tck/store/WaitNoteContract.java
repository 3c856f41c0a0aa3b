package io.holdfast.tck.store;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.tck.Ask;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.StoreFixture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * S11, L21: on a store that keeps notes of waiting clients a release answers the longest pause that another client has
 * noted. Beside the clauses of {@link LockStoreContract}, for stores of rows.
 */
@Tag("slow")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
public abstract class WaitNoteContract {
    private static final Duration LONG = Duration.ofMillis(700);
    private static final Duration SHORT = Duration.ofMillis(120);

    /** For the test of a store. */
    protected WaitNoteContract() {}

    /** A fresh store. */
    protected abstract StoreFixture fixture() throws Exception;

    @Test
    void aReleaseAnswersTheLongestPauseOfOtherClients() throws Exception {
        try (StoreFixture fixture = fixture();
                LockStore store = fixture.open("one")) {
            ContractClient client = new ContractClient(store);
            Claim held = waiting("job", "holder", Duration.ZERO);
            client.granted(held);
            client.refused(waiting("job", "holder", Duration.ofMillis(900)));
            client.refused(waiting("job", "patient", LONG));
            client.refused(waiting("job", "hasty", SHORT));
            client.refused(waiting("job", "try", Duration.ZERO));
            client.refused(waiting("job", "hasty", SHORT));

            assertThat(standBack(client, held)).isEqualTo(LONG);
        }
    }

    /** The last note of a client counts, and a note keeps no claim out. */
    @Test
    void aNoteIsReplacedByTheNextOneAndClosesNothing() throws Exception {
        try (StoreFixture fixture = fixture();
                LockStore store = fixture.open("one")) {
            ContractClient client = new ContractClient(store);
            Claim held = waiting("job", "holder", Duration.ZERO);
            client.granted(held);
            client.refused(waiting("job", "patient", LONG));
            client.refused(waiting("job", "patient", SHORT));
            assertThat(standBack(client, held)).isEqualTo(SHORT);

            Claim other = waiting("job", "other", Duration.ZERO);
            assertThat(client.tryAcquire(other)).isInstanceOf(Granted.class);
            Claim elsewhere = waiting("elsewhere", "holder", Duration.ZERO);
            client.granted(elsewhere);
            assertThat(standBack(client, elsewhere)).isZero();
            client.released(other);
        }
    }

    @Test
    void aSharedHolderIsAnsweredTheSameAndANoteOfAnotherNameIsNot() throws Exception {
        try (StoreFixture fixture = fixture();
                LockStore store = fixture.open("one")) {
            ContractClient client = new ContractClient(store);
            Claim reader = Ask.shared("data").by("reader").claim();
            client.granted(reader);
            client.refused(waiting("data", "writer", LONG));
            Claim other = waiting("data2", "holder", Duration.ZERO);
            client.granted(other);

            assertThat(standBack(client, reader)).isEqualTo(LONG);
            assertThat(standBack(client, other)).isZero();
        }
    }

    /** A claim of a client that waits. */
    private static Claim waiting(String name, String client, Duration pause) {
        return exclusive(name).by(client).pausing(pause).claim();
    }

    private static Duration standBack(ContractClient client, Claim claim) throws Exception {
        ReleaseResult result = client.release(claim);
        assertThat(result).isInstanceOf(ReleaseResult.Released.class);
        return ((ReleaseResult.Released) result).standBack();
    }
}
