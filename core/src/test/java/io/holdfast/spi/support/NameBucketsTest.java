package io.holdfast.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NameBucketsTest {
    @Test
    void theBucketOfANameIsPartOfTheStoredFormatAndNeverChanges() {
        // CRC-32 of "123456789" is cbf43926.
        assertThat(NameBuckets.of("123456789")).isEqualTo(0x926);
        assertThat(NameBuckets.of("")).isZero();
    }

    @Test
    void namesSpreadOverTheBuckets() {
        long used = IntStream.range(0, 20_000)
                .map(number -> NameBuckets.of("order:" + number))
                .distinct()
                .count();

        assertThat(used).isGreaterThan(NameBuckets.COUNT * 9L / 10);
    }
}
