package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SequencerTest {
    private static final byte[] KEY = "a key of thirty-two bytes, really".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] OTHER_KEY = "another key of more than 16 bytes".getBytes(StandardCharsets.US_ASCII);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "stock",
                "stock:sku-42",
                "a.b.c",
                "hf1.x.1.YQ",
                "with space, \"quotes\", 'more' = & ; % / \\ | < >",
                "é",
                "e\u0301",
                "订单-42",
                "🔒",
                "Aa",
                "BB",
                " leading",
                "trailing ",
                "\u200f\u202e"
            })
    void anyLockNameSurvivesTheRoundTrip(String name) {
        Sequencer sequencer = new Sequencer(name, Mode.EXCLUSIVE, 1_763_200_000_000_000L);

        assertThat(Sequencer.parse(sequencer.text())).isEqualTo(sequencer);
        assertThat(sequencer.text()).matches("[A-Za-z0-9._-]+");
    }

    @Test
    void theLongestNamesSurviveTheRoundTripAlsoWhenSigned() {
        for (String character : new String[] {"a", "é", "锁", "🔒"}) {
            Sequencer sequencer = new Sequencer(character.repeat(512), Mode.SHARED, Long.MAX_VALUE).signedWith(KEY);

            assertThat(sequencer.text().length()).isLessThanOrEqualTo(Sequencer.LONGEST_TEXT);
            assertThat(Sequencer.parse(sequencer.text())).isEqualTo(sequencer);
        }
    }

    @Test
    void randomNamesSurviveTheRoundTrip() {
        Random random = new Random(7);
        for (int i = 0; i < 2_000; i++) {
            String name = random.ints(1 + random.nextInt(40), 0x20, 0x1ffff)
                    .filter(c -> Character.isDefined(c) && !Character.isISOControl(c))
                    .filter(c -> c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE)
                    .collect(() -> new StringBuilder("n"), StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();
            Sequencer sequencer = new Sequencer(name, Mode.EXCLUSIVE, 1 + random.nextLong(Long.MAX_VALUE));

            assertThat(Sequencer.parse(sequencer.text())).isEqualTo(sequencer);
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void theModeIsPartOfTheText(Mode mode) {
        assertThat(Sequencer.parse(new Sequencer("n", mode, 5).text()).mode()).isEqualTo(mode);
    }

    @Test
    void theSignatureCoversLockModeAndToken() {
        Sequencer signed = new Sequencer("stock", Mode.EXCLUSIVE, 10).signedWith(KEY);

        assertThat(signed.isSigned()).isTrue();
        assertThat(Sequencer.parse(signed.text()).isSignedWith(KEY)).isTrue();
        assertThat(signed.isSignedWith(OTHER_KEY)).isFalse();
        String signature = signed.signature();
        assertThat(new Sequencer("stock", Mode.EXCLUSIVE, 11, signature).isSignedWith(KEY))
                .isFalse();
        assertThat(new Sequencer("stocks", Mode.EXCLUSIVE, 10, signature).isSignedWith(KEY))
                .isFalse();
        assertThat(new Sequencer("stock", Mode.SHARED, 10, signature).isSignedWith(KEY))
                .isFalse();
    }

    @Test
    void anUnsignedSequencerIsSignedWithNoKey() {
        Sequencer unsigned = new Sequencer("stock", Mode.EXCLUSIVE, 10);

        assertThat(unsigned.isSigned()).isFalse();
        assertThat(unsigned.isSignedWith(KEY)).isFalse();
    }

    @Test
    void aForgedTokenInASignedTextIsNotBelieved() {
        String honest =
                new Sequencer("stock", Mode.EXCLUSIVE, 10).signedWith(KEY).text();

        Sequencer forged = Sequencer.parse(honest.replace(".10.", ".99."));

        assertThat(forged.token()).isEqualTo(99);
        assertThat(forged.isSignedWith(KEY)).isFalse();
    }

    @Test
    void aShortKeyIsRefused() {
        assertThatThrownBy(() -> new Sequencer("n", Mode.EXCLUSIVE, 1).signedWith(new byte[15]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least 16 bytes")
                .hasMessageContaining("15");
    }

    @Test
    void aTextCutOffAnywhereIsAnErrorThatSaysSo() {
        Sequencer unsigned = new Sequencer("stock:sku-42", Mode.EXCLUSIVE, 1_763_200_000_000_000L);
        for (String whole :
                Arrays.asList(unsigned.text(), unsigned.signedWith(KEY).text())) {
            for (int length = 0; length < whole.length(); length++) {
                String cut = whole.substring(0, length);

                assertThatThrownBy(() -> Sequencer.parse(cut))
                        .as("cut to %s", cut)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageStartingWith("sequencer '" + cut.substring(0, Math.min(60, cut.length())))
                        .message()
                        .containsAnyOf("cut off", "does not begin with 'hf1.'");
            }
        }
    }

    @Test
    void everyMistypedCharacterOfAnUnsignedTextIsNoticed() {
        String text = new Sequencer("stock", Mode.EXCLUSIVE, 1_763_200_000_000_000L).text();
        for (int i = 0; i < text.length(); i++) {
            char wrong = text.charAt(i) == '7' ? '8' : '7';
            String mistyped = text.substring(0, i) + wrong + text.substring(i + 1);

            assertThatThrownBy(() -> Sequencer.parse(mistyped))
                    .as(mistyped)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("sequencer '" + mistyped + "' cannot be read: ");
        }
    }

    @Test
    void aFutureVersionAsksForAnUpgradeOfTheCheckingSide() {
        String future = new Sequencer("stock", Mode.EXCLUSIVE, 10).text().replace("hf1.", "hf2.") + ".extra";

        assertThatThrownBy(() -> Sequencer.parse(future))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(future)
                .hasMessageContaining("version 2")
                .hasMessageContaining("upgrade the side that checks");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hello | does not begin with 'hf1.'",
                "HF1.x.1.YQ | does not begin with 'hf1.'",
                "hf1.x.1 | 3 parts",
                "hf1.x.1.YQ.12345678.9 | 6 parts",
                "hf1.q.1.YQ | 4 parts",
                "hf1.x.1.YQ.zzzzzzzz | neither a signature"
            })
    void aMalformedTextNamesTheValueAndWhatIsWrong(String text, String why) {
        assertThatThrownBy(() -> Sequencer.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("sequencer '" + text + "' cannot be read: ")
                .hasMessageContaining(why);
    }

    /** With a signature the checksum does not apply, so that every part is reached. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hf1.q.1.YQ | none of x, s, p",
                "hf1.x.0.YQ | not a positive number",
                "hf1.x.-1.YQ | not a positive number",
                "hf1.x.01.YQ | not a positive number",
                "hf1.x.1e3.YQ | not a positive number",
                "hf1.x.9223372036854775808.YQ | larger than 2^63 - 1",
                "hf1.x.99999999999999999999.YQ | not a positive number",
                "hf1.x.1.Y | not base64url",
                "hf1.x.1.YR | not in canonical base64url",
                "hf1.x.1.YQ== | not in canonical base64url",
                "hf1.x.1._w | not UTF-8",
                "hf1.x.1.7aCA | not UTF-8",
                "hf1.x.1.Cg | control character",
                "hf1.x.1. | lock name is empty"
            })
    void aMalformedPartIsNamed(String body, String why) {
        String text = body + "." + "A".repeat(43);

        assertThatThrownBy(() -> Sequencer.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("sequencer '")
                .hasMessageContaining(why);
    }

    @Test
    void anEndlessTextIsRefusedBeforeItIsTakenApart() {
        assertThatThrownBy(() -> Sequencer.parse("hf1." + "x".repeat(100_000)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("longer than 4096 characters")
                .message()
                .hasSizeLessThan(200);
    }

    @Test
    void controlCharactersNeverReachALog() {
        assertThatThrownBy(() -> Sequencer.parse("hf1.x\n[ERROR] fake line\u001b[31m"))
                .message()
                .doesNotContain("\n")
                .doesNotContain("\u001b");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void aTokenIsPositive(long token) {
        assertThatThrownBy(() -> new Sequencer("n", Mode.EXCLUSIVE, token))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(String.valueOf(token));
    }

    @Test
    void aSignatureThatCouldNotBeWrittenIsRefused() {
        assertThatThrownBy(() -> new Sequencer("n", Mode.EXCLUSIVE, 1, "a.b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("43 base64url characters");
    }
}
