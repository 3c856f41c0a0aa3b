package io.holdfast.tck.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.spi.Claim;
import io.holdfast.spi.MarkResult;
import io.holdfast.spi.MarkingStore;
import io.holdfast.tck.Ask;
import io.holdfast.tck.Clause;
import io.holdfast.tck.ConcurrentThreads;
import io.holdfast.tck.ContractClient;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** M1 to M3, for stores that keep marks. */
interface MarkClauses extends StoreClauses {
    @Test
    @Clause("M1, U1")
    default void aLowerExclusiveTokenIsStaleAndTheSameIsAdmittedAgain() throws Exception {
        MarkingStore marks = marking("a");

        assertThat(admit(marks, "file", Mode.EXCLUSIVE, 10)).isInstanceOf(MarkResult.Admitted.class);
        assertThat(admit(marks, "file", Mode.EXCLUSIVE, 10)).isInstanceOf(MarkResult.Admitted.class);
        assertThat(admit(marks, "file", Mode.EXCLUSIVE, 12)).isInstanceOf(MarkResult.Admitted.class);
        assertThat(admit(marks, "file", Mode.EXCLUSIVE, 11)).isEqualTo(new MarkResult.Stale(12));
        assertThat(admit(marks, "other", Mode.EXCLUSIVE, 1)).isInstanceOf(MarkResult.Admitted.class);
    }

    @Test
    @Clause("M1")
    default void aStaleWriterIsRefusedUnderNewerReadersAndAStaleReaderPastANewerWriter() throws Exception {
        MarkingStore marks = marking("a");

        assertThat(admit(marks, "file", Mode.SHARED, 20)).isInstanceOf(MarkResult.Admitted.class);
        assertThat(admit(marks, "file", Mode.SHARED, 18)).isInstanceOf(MarkResult.Admitted.class);
        assertThat(admit(marks, "file", Mode.EXCLUSIVE, 19)).isEqualTo(new MarkResult.Stale(20));
        assertThat(admit(marks, "file", Mode.EXCLUSIVE, 21)).isInstanceOf(MarkResult.Admitted.class);
        assertThat(admit(marks, "file", Mode.SHARED, 21)).isEqualTo(new MarkResult.Stale(21));
        assertThat(admit(marks, "file", Mode.SHARED, 22)).isInstanceOf(MarkResult.Admitted.class);
    }

    @Test
    @Clause("M1")
    default void admissionIsOneAtomicStep() throws Exception {
        MarkingStore marks = marking("a");
        AtomicLong highest = new AtomicLong();
        ConcurrentThreads.run(4, number -> {
            for (int i = 1; i <= 50; i++) {
                long token = i * 4L + number;
                long before = highest.get();
                boolean admitted = admit(marks, "file", Mode.EXCLUSIVE, token) instanceof MarkResult.Admitted;
                assertThat(admitted && token < before)
                        .as("token %s after %s", token, before)
                        .isFalse();
                if (admitted) {
                    highest.accumulateAndGet(token, Math::max);
                }
            }
        });
        assertThat(admit(marks, "file", Mode.EXCLUSIVE, highest.get() - 1))
                .isEqualTo(new MarkResult.Stale(highest.get()));
    }

    @Test
    @Clause("M2, U19")
    default void marksOutliveTheLockAndTheClient() throws Exception {
        MarkingStore marks = marking("a");
        Claim claim = Ask.exclusive("job").claim();
        ContractClient client = new ContractClient(marks);
        long token = client.granted(claim).token();
        assertThat(admit(marks, "file", Mode.EXCLUSIVE, token)).isInstanceOf(MarkResult.Admitted.class);
        client.released(claim);
        marks.close();

        assertThat(admit(marking("b"), "file", Mode.EXCLUSIVE, token - 1)).isEqualTo(new MarkResult.Stale(token));
    }

    @Test
    @Clause("M3, U19")
    default void aSequencerOfAnotherLockIsRefused() throws Exception {
        MarkingStore marks = marking("a");
        assertThat(admit(marks, "file", Mode.EXCLUSIVE, 10)).isInstanceOf(MarkResult.Admitted.class);

        MarkResult result = ContractClient.answer(marks.admit("file", new Sequencer("another", Mode.EXCLUSIVE, 99)));

        assertThat(result).isEqualTo(new MarkResult.OtherLock("job"));
        assertThat(admit(marks, "file", Mode.EXCLUSIVE, 11)).isInstanceOf(MarkResult.Admitted.class);
    }

    private MarkingStore marking(String client) throws Exception {
        ContractClient opened = world().client(client);
        assumeTrue(opened.store() instanceof MarkingStore, "the store keeps no marks");
        return (MarkingStore) opened.store();
    }

    private static MarkResult admit(MarkingStore marks, String resource, Mode mode, long token)
            throws InterruptedException {
        return ContractClient.answer(marks.admit(resource, new Sequencer("job", mode, token)));
    }
}
