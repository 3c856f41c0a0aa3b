package io.holdfast.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MemoryGuardTest {
    private static final byte[] KEY = "a key of more than sixteen bytes".getBytes(StandardCharsets.US_ASCII);

    private final MemoryGuard guard = MemoryGuard.of("stock table", "stock");

    @Test
    void aStaleTokenIsRefusedCountedAndExplained() {
        guard.admit(exclusive(11));

        assertThatThrownBy(() -> guard.admit(exclusive(10)))
                .isInstanceOfSatisfying(StaleTokenException.class, stale -> {
                    assertThat(stale.seen()).isEqualTo(11);
                    assertThat(stale.offered()).isEqualTo(10);
                })
                .hasMessageContaining("'stock table'")
                .hasMessageContaining("lock 'stock'")
                .hasMessageContaining("stop");
        assertThat(guard.refusals()).isEqualTo(1);
        assertThat(guard.marks()).isEqualTo(new Marks(11, 11));
    }

    @Test
    void theSameTokenIsAdmittedAgain() {
        guard.admit(exclusive(10));
        guard.admit(exclusive(10));

        assertThat(guard.refusals()).isZero();
    }

    @Test
    void aStaleWriterIsRefusedUnderNewerReadersAndAStaleReaderBehindANewerWriter() {
        guard.admit(exclusive(10));
        guard.admit(shared(11));
        guard.admit(shared(12));
        guard.admit(shared(11));

        assertThatThrownBy(() -> guard.admit(exclusive(10)))
                .isInstanceOfSatisfying(
                        StaleTokenException.class, e -> assertThat(e.seen()).isEqualTo(12));
        guard.admit(exclusive(13));
        assertThatThrownBy(() -> guard.admit(shared(12)))
                .isInstanceOfSatisfying(
                        StaleTokenException.class, e -> assertThat(e.seen()).isEqualTo(13));
        assertThat(guard.refusals()).isEqualTo(2);
    }

    /** Rule U19. */
    @Test
    void aSequencerOfAnotherLockIsRefusedHoweverHighItsToken() {
        assertThatThrownBy(() -> guard.admit(new Sequencer("stocks", Mode.EXCLUSIVE, Long.MAX_VALUE)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("guarded by lock 'stock'")
                .hasMessageContaining("of lock 'stocks'");
        assertThat(guard.marks()).isEqualTo(Marks.NONE);
    }

    /** Rule U19. */
    @Test
    void acrossATrustBoundaryUnsignedAndForgedSequencersAreRefused() {
        MemoryGuard strict = MemoryGuard.signed("stock table", "stock", KEY);
        Sequencer signed = exclusive(10).signedWith(KEY);
        Sequencer forged = new Sequencer("stock", Mode.EXCLUSIVE, 99, signed.signature());

        strict.admit(signed);
        assertThatThrownBy(() -> strict.admit(exclusive(99)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("signed sequencers only")
                .hasMessageContaining("is not signed");
        assertThatThrownBy(() -> strict.admit(forged))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("wrong signature");
        assertThat(strict.marks()).isEqualTo(new Marks(10, 10));
    }

    @Test
    void theKeyIsCopied() {
        byte[] key = KEY.clone();
        MemoryGuard strict = MemoryGuard.signed("stock table", "stock", key);
        key[0]++;

        strict.admit(exclusive(10).signedWith(KEY));

        assertThat(strict.marks().any()).isEqualTo(10);
    }

    /** Rule C2. */
    @Test
    void permitsAreRefusedBecauseTheyCannotBeFenced() {
        assertThatThrownBy(() -> guard.admit(new Sequencer("stock", Mode.PERMIT, 10)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("permits cannot be fenced");
        assertThat(guard.marks()).isEqualTo(Marks.NONE);
    }

    @Test
    void aBadNameOfTheResourceIsRefused() {
        assertThatThrownBy(() -> MemoryGuard.of("", "stock")).hasMessageStartingWith("resource is empty");
    }

    private static Sequencer exclusive(long token) {
        return new Sequencer("stock", Mode.EXCLUSIVE, token);
    }

    private static Sequencer shared(long token) {
        return new Sequencer("stock", Mode.SHARED, token);
    }
}
