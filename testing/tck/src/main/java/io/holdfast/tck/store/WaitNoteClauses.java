package io.holdfast.tck.store;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Ticker;
import io.holdfast.spi.Claim;
import io.holdfast.spi.QueueingStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.tck.Clause;
import io.holdfast.tck.ConcurrentThreads;
import io.holdfast.tck.ContractClient;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** S11: a store without a queue tells a client that releases how long the clients that wait may pause (L21). */
interface WaitNoteClauses extends StoreClauses {
    /** How long a note counts. */
    Duration NOTE_LIFE = Duration.ofSeconds(2);

    @Test
    @Clause("S11, L21")
    default void aReleaseAnswersTheLongestPauseNotedByAnotherClient() throws Exception {
        ContractClient a = notingClient("a");
        ContractClient b = world().client("b");

        Duration answered = standBackAfter(a, () -> {
            b.refused(exclusive("job").by("b").pausing(Duration.ofMillis(200)));
            b.refused(exclusive("job").by("c").pausing(Duration.ofMillis(700)));
            b.refused(exclusive("job").by("d").pausing(Duration.ofMillis(300)));
        });

        assertThat(answered).isEqualTo(Duration.ofMillis(700));
    }

    @Test
    @Clause("S11, L21")
    default void theLongestPauseThatAClaimMayCarryIsAnsweredWhole() throws Exception {
        ContractClient a = notingClient("a");
        ContractClient b = world().client("b");

        Duration answered =
                standBackAfter(a, () -> b.refused(exclusive("job").by("b").pausing(Claim.LONGEST_PAUSE)));

        assertThat(answered).isEqualTo(Claim.LONGEST_PAUSE);
    }

    @Test
    @Clause("S11, L21")
    default void aClientsOwnNotesDoNotCount() throws Exception {
        ContractClient a = notingClient("a");
        ContractClient b = world().client("b");

        Duration answered = standBackAfter(a, () -> {
            a.refused(exclusive("job").by("a").pausing(Duration.ofMillis(900)));
            b.refused(exclusive("job").by("b").pausing(Duration.ofMillis(100)));
        });

        assertThat(answered).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    @Clause("S11, L21")
    default void aClaimWithoutAPauseAndAGrantedClaimLeaveNoNote() throws Exception {
        ContractClient a = notingClient("a");
        ContractClient b = world().client("b");
        Claim granted = exclusive("job").by("b").pausing(Duration.ofMillis(500)).claim();
        b.granted(granted);
        a.refused(exclusive("job").by("a"));
        assertThat(standBack(b, granted)).as("after a try").isZero();
        Claim held = exclusive("job").by("a").claim();
        a.granted(held);

        assertThat(standBack(a, held)).as("after a claim that was granted").isZero();
    }

    @Test
    @Clause("S11, L21")
    default void notesOfAnotherNameDoNotCount() throws Exception {
        ContractClient a = notingClient("a");
        Claim held = exclusive("job").by("a").claim();
        a.granted(held);
        a.granted(exclusive("other").by("a"));
        world().client("b").refused(exclusive("other").by("b").pausing(Duration.ofMillis(500)));

        assertThat(standBack(a, held)).isZero();
    }

    @Test
    @Clause("S11, L21")
    default void aNoteEndsAfterTwoSeconds() throws Exception {
        ContractClient a = notingClient("a");
        Claim held = exclusive("job").by("a").claim();
        a.granted(held);
        world().client("b").refused(exclusive("job").by("b").pausing(Duration.ofMillis(500)));

        world().elapse(NOTE_LIFE.plusMillis(300));

        assertThat(standBack(a, held)).isZero();
    }

    @Test
    @Clause("S11, L21")
    default void aNoteKeepsNoClaimOut() throws Exception {
        ContractClient a = notingClient("a");
        ContractClient b = world().client("b");
        Claim first = exclusive("job").by("a").claim();
        a.granted(first);
        b.refused(exclusive("job").by("b").pausing(Claim.LONGEST_PAUSE));
        a.released(first);

        Claim second = exclusive("job").by("c").claim();
        world().client("c").granted(second);
        world().client("c").released(second);
        Claim third = exclusive("job").by("a").claim();
        a.granted(third);
        a.released(third);

        a.nothingLeft("job");
    }

    @Test
    @Clause("S11, L21, S7")
    default void renewalsAreAnsweredWhileOtherClientsAreNoted() throws Exception {
        ContractClient a = notingClient("a");
        ContractClient[] waiters = {world().client("b"), world().client("c"), world().client("d")};
        Claim held = exclusive("job").by("a").claim();
        a.granted(held);
        AtomicBoolean done = new AtomicBoolean();
        ConcurrentThreads.run(4, number -> {
            if (number == 0) {
                try {
                    for (int i = 0; i < 40; i++) {
                        a.renewed(held);
                    }
                } finally {
                    done.set(true);
                }
            } else {
                do {
                    waiters[number - 1].refused(
                            exclusive("job").by("w" + number).pausing(Duration.ofMillis(100)));
                } while (!done.get());
            }
        });

        a.released(held);
    }

    /** A client of a store that takes notes. */
    private ContractClient notingClient(String name) throws Exception {
        ContractClient client = world().client(name);
        assumeFalse(client.store() instanceof QueueingStore, "the store has a queue");
        assumeTrue(world().fixture().notesWaits(), "clients wait in a queue of the server");
        return client;
    }

    /**
     * What a release answers after these notes. Notes end after two seconds; if the machine kept the test from releasing in
     * time, all of it is done again.
     */
    private Duration standBackAfter(ContractClient client, Notes notes) throws Exception {
        Ticker ticker = world().fixture().time().ticker();
        Duration answered = Duration.ZERO;
        for (int i = 0; i < 10; i++) {
            Claim held = exclusive("job").by("a").claim();
            client.granted(held);
            long begun = ticker.nanos();
            notes.take();
            answered = standBack(client, held);
            if (ticker.nanos() - begun < NOTE_LIFE.toNanos()) {
                break;
            }
        }
        return answered;
    }

    /** Refusals that leave notes. */
    interface Notes {
        /** Asks. */
        void take() throws Exception;
    }

    private static Duration standBack(ContractClient client, Claim held) throws InterruptedException {
        ReleaseResult result = client.release(held);
        assertThat(result).as("release of %s", held).isInstanceOf(ReleaseResult.Released.class);
        return ((ReleaseResult.Released) result).standBack();
    }
}
