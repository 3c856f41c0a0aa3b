package io.holdfast.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Mode;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MarksTest {
    @Test
    void anUntouchedResourceAdmitsAnyToken() {
        assertThat(Marks.NONE.admits(Mode.EXCLUSIVE, 1)).isTrue();
        assertThat(Marks.NONE.admits(Mode.SHARED, 1)).isTrue();
    }

    @Test
    void anExclusiveTokenIsAdmittedFromTheHighestMarkOn() {
        Marks marks = Marks.NONE.with(Mode.EXCLUSIVE, 10);

        assertThat(marks.admits(Mode.EXCLUSIVE, 9)).isFalse();
        assertThat(marks.admits(Mode.EXCLUSIVE, 10)).isTrue();
        assertThat(marks.admits(Mode.EXCLUSIVE, 11)).isTrue();
    }

    @Test
    void aStaleWriterCannotWriteUnderNewerReaders() {
        Marks marks = Marks.NONE.with(Mode.EXCLUSIVE, 10).with(Mode.SHARED, 12);

        assertThat(marks).isEqualTo(new Marks(12, 10));
        assertThat(marks.admits(Mode.EXCLUSIVE, 10)).isFalse();
        assertThat(marks.against(Mode.EXCLUSIVE)).isEqualTo(12);
        assertThat(marks.admits(Mode.EXCLUSIVE, 13)).isTrue();
    }

    @Test
    void aStaleReaderCannotReadPastANewerWriter() {
        Marks marks = Marks.NONE.with(Mode.SHARED, 10).with(Mode.EXCLUSIVE, 12);

        assertThat(marks.admits(Mode.SHARED, 10)).isFalse();
        assertThat(marks.against(Mode.SHARED)).isEqualTo(12);
        assertThat(marks.admits(Mode.SHARED, 13)).isTrue();
    }

    @Test
    void anOlderReaderReadsBesideANewerOne() {
        Marks marks = Marks.NONE.with(Mode.EXCLUSIVE, 10).with(Mode.SHARED, 15).with(Mode.SHARED, 12);

        assertThat(marks).isEqualTo(new Marks(15, 10));
        assertThat(marks.admits(Mode.SHARED, 11)).isTrue();
    }

    @Test
    void theTokenOfAWriterDoesNotServeAReader() {
        assertThat(Marks.NONE.with(Mode.EXCLUSIVE, 10).admits(Mode.SHARED, 10)).isFalse();
    }

    @Test
    void marksNeverFallAndWhatTheyAdmittedLastIsAdmittedAgain() {
        Random random = new Random(3);
        Marks marks = Marks.NONE;
        int admitted = 0;
        for (int i = 0; i < 100_000; i++) {
            Mode mode = random.nextBoolean() ? Mode.EXCLUSIVE : Mode.SHARED;
            long token = Math.max(1, marks.any() + random.nextInt(-20, 3));
            if (marks.admits(mode, token)) {
                Marks next = marks.with(mode, token);
                assertThat(next.any()).isGreaterThanOrEqualTo(marks.any());
                assertThat(next.exclusive()).isGreaterThanOrEqualTo(marks.exclusive());
                assertThat(next.admits(mode, token)).isTrue();
                marks = next;
                admitted++;
            }
        }
        assertThat(admitted).isBetween(10_000, 90_000);
    }

    @Test
    void permitsCannotBeFenced() {
        assertThatThrownBy(() -> Marks.NONE.admits(Mode.PERMIT, 5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("permits cannot be fenced");
    }

    @Test
    void contradictingMarksAreRefused() {
        assertThatThrownBy(() -> new Marks(5, 6)).hasMessageContaining("5/6");
        assertThatThrownBy(() -> new Marks(5, -1)).hasMessageContaining("5/-1");
    }
}
