package io.holdfast.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class SharedSectionTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void whatAnotherMappingSeesIsTheSame() throws IOException {
        SharedSection one = section();
        SharedSection other = section();
        one.pass(1, 10);
        other.pass(2, 11);
        assertThat(one.violations(2)).isEmpty();
        assertThat(other.violations(3)).containsExactly("3 passes left the unprotected counter at 2");
    }

    @Test
    void twoInsideAreSeen() throws IOException {
        SharedSection one = section();
        SharedSection other = section();
        one.enter(1);
        other.enter(2);
        one.leave(1);
        assertThat(other.violations(2)).containsExactly("two were inside, seen 2 times");
    }

    @Test
    void tokensThatDoNotGrowAreSeenAndNoTokenIsNone() throws IOException {
        SharedSection section = section();
        section.pass(1, 10);
        section.pass(2, 0);
        section.pass(3, 10);
        section.pass(4, 9);
        assertThat(section.violations(4)).containsExactly("2 tokens did not grow");
    }

    private SharedSection section() throws IOException {
        return SharedSection.in(folder.resolve("section"));
    }
}
