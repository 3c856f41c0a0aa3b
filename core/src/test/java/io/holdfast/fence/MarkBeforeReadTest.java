package io.holdfast.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import org.junit.jupiter.api.Test;

/**
 * Rule U1 as a story, step by step: holder A (token 10) is paused between its read and its write; its lease ends, B
 * (token 11) is granted the lock. Both take one piece out of a stock of 5.
 */
class MarkBeforeReadTest {
    private static final Sequencer A = new Sequencer("stock", Mode.EXCLUSIVE, 10);
    private static final Sequencer B = new Sequencer("stock", Mode.EXCLUSIVE, 11);

    private final MemoryGuard guard = MemoryGuard.of("stock row", "stock");
    private int pieces = 5;

    @Test
    void checkingAtTheWriteOnlyLosesAnUpdateWithEveryCheckGreen() {
        int readByA = pieces;
        int readByB = pieces;
        guard.admit(A); // A wakes up: nobody has marked the resource yet, so the check is green
        pieces = readByA - 1;
        guard.admit(B);
        pieces = readByB - 1;

        assertThat(guard.refusals()).as("every check was green").isZero();
        assertThat(pieces).as("two were taken, one update is lost").isEqualTo(4);
    }

    @Test
    void markingBeforeTheFirstReadRefusesTheStaleWrite() {
        guard.admit(A);
        int readByA = pieces;
        guard.admit(B); // first statement of B, before anything is read
        int readByB = pieces;
        assertThatThrownBy(() -> guard.admit(A)).isInstanceOf(StaleTokenException.class);
        assertThat(readByA).as("A stops here and writes nothing").isEqualTo(5);
        guard.admit(B);
        pieces = readByB - 1;

        assertThat(pieces)
                .as("only B took one, and that is what the stock says")
                .isEqualTo(4);
        assertThat(guard.refusals()).isEqualTo(1);
    }

    @Test
    void aStaleWriteThatComesBeforeTheMarkIsSeenByTheNextRead() {
        guard.admit(A);
        int readByA = pieces;
        guard.admit(A); // A's late write still precedes B's mark
        pieces = readByA - 1;
        guard.admit(B);
        int readByB = pieces;
        guard.admit(B);
        pieces = readByB - 1;

        assertThat(pieces).as("two were taken, none is lost").isEqualTo(3);
        assertThat(guard.refusals()).isZero();
    }

    /** All 20 ways in which the three steps of A and those of B can interleave: never an update lost. */
    @Test
    void noInterleavingLosesAnUpdateWhenBothMarkBeforeTheyRead() {
        int interleavings = 0;
        int refused = 0;
        for (int schedule = 0; schedule < 64; schedule++) {
            if (Integer.bitCount(schedule) == 3) {
                interleavings++;
                refused += run(schedule);
            }
        }
        assertThat(interleavings).isEqualTo(20);
        assertThat(refused).as("some interleavings must meet a refusal").isPositive();
    }

    private static int run(int schedule) {
        MarkBeforeReadTest world = new MarkBeforeReadTest();
        Holder a = new Holder(A);
        Holder b = new Holder(B);
        for (int step = 0; step < 6; step++) {
            ((schedule >> step & 1) == 0 ? a : b).step(world);
        }
        int taken = (a.wrote ? 1 : 0) + (b.wrote ? 1 : 0);
        assertThat(world.pieces)
                .as("schedule %s", Integer.toBinaryString(schedule))
                .isEqualTo(5 - taken);
        assertThat(taken).isPositive();
        return (int) world.guard.refusals();
    }

    /** Marks, reads, then checks and writes in one step, as a transaction does; stops when refused. */
    private static final class Holder {
        private final Sequencer sequencer;
        private int at;
        private int read;
        private boolean stopped;
        private boolean wrote;

        Holder(Sequencer sequencer) {
            this.sequencer = sequencer;
        }

        void step(MarkBeforeReadTest world) {
            if (stopped) {
                return;
            }
            try {
                switch (at++) {
                    case 0 -> world.guard.admit(sequencer);
                    case 1 -> read = world.pieces;
                    default -> {
                        world.guard.admit(sequencer);
                        world.pieces = read - 1;
                        wrote = true;
                    }
                }
            } catch (StaleTokenException e) {
                stopped = true;
            }
        }
    }
}
