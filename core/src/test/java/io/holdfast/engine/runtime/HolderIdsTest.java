package io.holdfast.engine.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.HolderId;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** U34, U48: ids of copies of one process, which have generators in the same state. */
class HolderIdsTest {
    private static final int DRAWS = 20_000;

    @Test
    void copiesOfOneProcessDrawDifferentIdsOfWhichNoPartIsShared() {
        noPartIsShared(HolderIds.ofThisCopy(new SplittableRandom(7)), HolderIds.ofThisCopy(new SplittableRandom(7)));
    }

    @Test
    void theyDoSoWhileTheirKernelsDrawTheSameBytesAsWell() {
        noPartIsShared(
                new HolderIds.Hashed(new SplittableRandom(7), same(7)),
                new HolderIds.Hashed(new SplittableRandom(7), same(7)));
    }

    @Test
    void theyDoSoWhereOnlyTheKernelTellsThemApart() {
        noPartIsShared(
                new HolderIds.Hashed(new SplittableRandom(7), same(7)),
                new HolderIds.Hashed(new SplittableRandom(7), same(8)));
    }

    @Test
    void everyDigitOfAnIdIsRandom() {
        HolderIds ids = HolderIds.ofThisCopy(new SplittableRandom(7));
        int[][] counts = new int[40][16];
        for (int i = 0; i < DRAWS; i++) {
            String text = ids.next().toString();
            for (int at = 0; at < 40; at++) {
                counts[at][Character.digit(text.charAt(at), 16)]++;
            }
        }

        // 1,250 each, with a deviation of 34: six of them are exceeded once in a million runs.
        for (int[] ofDigit : counts) {
            assertThat(Arrays.stream(ofDigit).boxed())
                    .allSatisfy(count -> assertThat(count).isBetween(1_050, 1_450));
        }
    }

    @Test
    void aGivenGeneratorMakesIdsReproducible() {
        HolderId first = HolderIds.reproducible(new SplittableRandom(7)).next();

        assertThat(HolderIds.reproducible(new SplittableRandom(7)).next()).isEqualTo(first);
    }

    /** The first sixteen digits are what Redis remembers of an id; a prefix in common would be one holder to it. */
    private static void noPartIsShared(HolderIds one, HolderIds other) {
        Set<Long> high = new HashSet<>();
        Set<Long> middle = new HashSet<>();
        for (int i = 0; i < DRAWS / 2; i++) {
            for (HolderId id : new HolderId[] {one.next(), other.next()}) {
                high.add(id.high());
                middle.add(id.middle());
            }
        }
        assertThat(high).hasSize(DRAWS);
        assertThat(middle).hasSize(DRAWS);
        assertThat(Collections.disjoint(high, middle)).isTrue();
    }

    /** A kernel whose state was copied. */
    private static HolderIds.Fresh same(long state) {
        SplittableRandom kernel = new SplittableRandom(state);
        return kernel::nextBytes;
    }
}
