package io.holdfast.sqlite;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.spi.MarkResult;
import io.holdfast.spi.support.NameSpace;
import io.holdfast.tck.ContractClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("quick")
final class NameSpaceTest {
    @TempDir
    Path folder = Path.of("");

    @Test
    void namespacesOfOneFileDoNotSeeEachOther() throws Exception {
        Lockfile file = new Lockfile(folder.resolve("locks.db"));
        SteeredClock clock = new SteeredClock(file.time);
        try (EmbeddedLockStore none = file.open("", clock);
                EmbeddedLockStore a = file.open("a", clock);
                EmbeddedLockStore ab = file.open("ab", clock)) {
            List<ContractClient> clients =
                    List.of(new ContractClient(none), new ContractClient(a), new ContractClient(ab));
            for (ContractClient client : clients) {
                for (String name : List.of("job", "bjob", "ajob", "abjob")) {
                    client.granted(exclusive(name));
                }
            }
            for (ContractClient client : clients) {
                assertThat(client.names("", 100)).containsExactly("abjob", "ajob", "bjob", "job");
                assertThat(client.names("a", 100)).containsExactly("abjob", "ajob");
                assertThat(client.names("a\u001f", 100)).isEmpty();
                assertThat(client.status("job").holders()).hasSize(1);
            }
        }
    }

    @Test
    void marksOfNamespacesAreSeparate() throws Exception {
        Lockfile file = new Lockfile(folder.resolve("locks.db"));
        SteeredClock clock = new SteeredClock(file.time);
        try (EmbeddedLockStore a = file.open("a", clock);
                EmbeddedLockStore b = file.open("b", clock)) {
            MarkResult first = ContractClient.answer(a.admit("file", new Sequencer("job", Mode.EXCLUSIVE, 9)));
            MarkResult second = ContractClient.answer(b.admit("file", new Sequencer("other", Mode.EXCLUSIVE, 2)));

            assertThat(List.of(first, second)).allSatisfy(r -> assertThat(r).isInstanceOf(MarkResult.Admitted.class));
        }
    }

    @Test
    void theEndOfAPrefixIsTheFirstTextAfterAllThatBeginWithIt() {
        for (String prefix : List.of("a", "a%", "zz", "\ud7ff", "é", "\uffff", "🔒", "a\udbff\udfff", "\udbff\udfff")) {
            String end = NameSpace.after(prefix);
            assertThat(compare(prefix + "\udbff\udfff".repeat(500), end)).isNegative();
            assertThat(compare(prefix, end)).isNegative();
        }
        assertThat(NameSpace.after("a")).isEqualTo("b");
        assertThat(NameSpace.after("\ud7ff")).isEqualTo("\ue000");
        assertThat(NameSpace.after("a\udbff\udfff")).isEqualTo("b");
        assertThat(NameSpace.after("")).isEqualTo(NameSpace.BEYOND);
    }

    @Test
    void aNamespaceWithControlCharactersIsRefused() {
        assertThatThrownBy(() -> new NameSpace("a\u001fb"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("namespace");
    }

    private static int compare(String a, String b) {
        return Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
    }
}
