package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockNamesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {"a", " ", "stock:sku-42", "a/b\\c.d,e;f'g\"h", "é", "e\u0301", "锁", "🔒", "\u00a0", "\u200b"})
    void anyCharacterButControlsMayStandInAName(String name) {
        assertThat(LockNames.check(name)).isSameAs(name);
    }

    @Test
    void theLongestNameCountsCharactersNotBytesOrSurrogates() {
        for (String character : new String[] {"a", "é", "锁", "🔒"}) {
            String longest = character.repeat(LockNames.LONGEST);
            String tooLong = longest + "a";

            assertThat(LockNames.check(longest)).isSameAs(longest);
            assertThatThrownBy(() -> LockNames.check(tooLong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("513 characters")
                    .hasMessageContaining("at most 512");
        }
    }

    @Test
    void anEmptyNameIsRefusedWithTheRemedy() {
        assertThatThrownBy(() -> LockNames.check(""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("lock name is empty: give it 1 to 512 characters");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 9, 10, 13, 27, 31, 127, 128, 0x85, 159, 0xd800, 0xdbff, 0xdc00, 0xdfff})
    void controlCharactersAndLoneSurrogatesAreNamedAndNotEchoed(int character) {
        String name = "job" + (char) character + "x";

        assertThatThrownBy(() -> LockNames.check(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(String.format("U+%04X", character))
                .hasMessageContaining("remove it")
                .message()
                .doesNotContain(String.valueOf((char) character));
    }

    @Test
    void aLongBadNameIsShownInPart() {
        assertThatThrownBy(() -> LockNames.check("x".repeat(10_000)))
                .hasMessageContaining("x…")
                .message()
                .hasSizeLessThan(200);
    }

    @Test
    @SuppressWarnings("NullAway") // what a caller without a checker may do
    void aMissingNameIsNamed() {
        assertThatThrownBy(() -> LockNames.check("namespace", null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageStartingWith("namespace is null");
    }

    @Test
    void theErrorSaysWhatIsNamed() {
        assertThatThrownBy(() -> LockNames.check("namespace", "a\nb")).hasMessageStartingWith("namespace 'a?b'");
    }

    @Test
    void namesThatLookAlikeStayDifferent() {
        assertThat(LockNames.check("é")).isNotEqualTo(LockNames.check("e\u0301"));
        assertThat(LockNames.check("Job")).isNotEqualTo(LockNames.check("job"));
        assertThat(LockNames.check("job ")).isNotEqualTo(LockNames.check("job"));
    }
}
