package io.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HolderIdTest {
    @Test
    void everyIdSurvivesTheRoundTrip() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            HolderId id = new HolderId(random.nextLong(), random.nextLong(), random.nextInt());

            assertThat(id.toString()).matches("[0-9a-f]{40}");
            assertThat(HolderId.parse(id.toString())).isEqualTo(id);
        }
    }

    @Test
    void zerosAndSignBitsAreWrittenInFull() {
        assertThat(new HolderId(0, 0, 0)).hasToString("0".repeat(40));
        assertThat(new HolderId(-1, -1, -1)).hasToString("f".repeat(40));
        HolderId smallest = new HolderId(Long.MIN_VALUE, 1, Integer.MIN_VALUE);
        assertThat(smallest).hasToString("8000000000000000" + "0000000000000001" + "80000000");
        assertThat(HolderId.parse(smallest.toString())).isEqualTo(smallest);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "000000000000000000000000000000000000000",
                "00000000000000000000000000000000000000000",
                "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
                "g000000000000000000000000000000000000000",
                "-000000000000000000000000000000000000000"
            })
    void anythingElseIsRefusedByValue(String text) {
        assertThatThrownBy(() -> HolderId.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a holder id is 40 hexadecimal digits, not '" + text + "'");
    }
}
