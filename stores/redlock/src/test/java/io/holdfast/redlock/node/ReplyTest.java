package io.holdfast.redlock.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which answers are believed (U29). */
@Tag("quick")
class ReplyTest {
    @Test
    void theAnswerToTheRequestIsRead() {
        Reply reply = Reply.parse("a1", "a1 C 0 epoch 0 60000,everysec,on 17 Y 30000 .");

        assertThat(reply).isEqualTo(new Reply('C', 0, "epoch", false, "60000,everysec,on", "17 Y 30000 ."));
        assertThat(Reply.parse("a1", "a1 H").rest()).isEqualTo("H");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a2 C 0 epoch 0 60000,everysec,on 17 Y 30000 .",
                "a11 C 0 epoch 0 60000,everysec,on 17 Y 30000 .",
                "a1",
                "",
                "H",
                "a1 nonsense"
            })
    void anyOtherIsAnError(String text) {
        assertThatThrownBy(() -> Reply.parse("a1", text)).isInstanceOf(IllegalStateException.class);
    }
}
