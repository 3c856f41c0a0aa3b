package io.holdfast.zookeeper.line;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.HolderId;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** U20: the order of nodes by their names. */
@Tag("quick")
class NodeNameTest {
    /** Unlike the sequence, names of claims order by signed difference (U20). */
    @Test
    void theOrderSurvivesTheOverflowOfTheSequence() {
        HolderId holder = new HolderId(1, 2, 3);
        NodeName last = Objects.requireNonNull(NodeName.parse("x-" + holder + "-2147483647"));
        NodeName next = Objects.requireNonNull(NodeName.parse("x-" + holder + "--2147483648"));
        NodeName later = Objects.requireNonNull(NodeName.parse("x-" + holder + "--000000001"));

        assertThat(NodeName.compare(last, next)).isNegative();
        assertThat(NodeName.compare(next, last)).isPositive();
        assertThat(NodeName.compare(next, later)).isNegative();
        assertThat(Line.of(List.of(next.text(), last.text())).granted()).containsExactly(last);
    }
}
