package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoopbackPortsTest {
    /** A group of servers draws its ports before any of them is bound. */
    @Test
    void noPortIsDrawnTwice() {
        List<Integer> drawn = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            drawn.add(LoopbackPorts.free());
        }
        assertThat(drawn).doesNotHaveDuplicates();
    }
}
