package io.holdfast.tck.store;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockNames;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.tck.Clause;
import io.holdfast.tck.ContractClient;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** S10: names are compared byte by byte, whatever is in them. */
interface NameClauses extends StoreClauses {
    /** Names that careless stores take for each other or for something else. */
    List<String> LOOK_ALIKES = List.of(
            "Aa",
            "BB",
            "order-0",
            "order-4",
            "job",
            "Job",
            "JOB",
            "job ",
            " job",
            "jo b",
            "j\u00f6b",
            "jo\u0308b",
            "jób",
            "straße",
            "strasse",
            "STRASSE",
            "i",
            "ı",
            "I",
            "İ",
            "a\u00a0b",
            "a b",
            "a\u200bb",
            "ab",
            "ﬁ",
            "fi",
            "\u00c5",
            "\u212b",
            "\u03a9",
            "\u2126",
            "a/b",
            "a:b",
            "a.b",
            "a#b",
            "a{b}",
            "{a}b",
            "a\\b",
            "a'b",
            "a''b",
            "a\"b",
            "a;b--",
            "a%b",
            "a_b",
            "a*b",
            "a?b",
            "[ab]",
            "a,b",
            "a=b",
            "a&b",
            "a|b",
            "a~b",
            "a^b",
            "a$b",
            "a@b",
            "../a",
            "/",
            ".",
            "..",
            "null",
            "NULL",
            "0",
            "00",
            "-1",
            "锁",
            "鎖",
            "🔒",
            "🔓",
            "קפל",
            "👩‍👩‍👧",
            "\u00e9",
            "e\u0301",
            "%",
            "_",
            "*",
            " ");

    @Test
    @Clause("S10")
    default void lookAlikesAreDifferentNames() throws Exception {
        ContractClient a = world().client("a");
        List<Claim> claims = new ArrayList<>();
        List<Granted> grants = new ArrayList<>();
        for (String name : LOOK_ALIKES) {
            Claim claim = exclusive(name).claim();
            claims.add(claim);
            grants.add(a.granted(claim));
        }
        for (int i = 0; i < LOOK_ALIKES.size(); i++) {
            long token = grants.get(i).token();
            assertThat(a.status(LOOK_ALIKES.get(i)).holders())
                    .as(LOOK_ALIKES.get(i))
                    .singleElement()
                    .satisfies(holder -> assertThat(holder.token()).isEqualTo(token));
        }
        for (int i = 0; i < LOOK_ALIKES.size(); i++) {
            a.released(claims.get(i));
            assertThat(a.names("", 1000))
                    .containsExactlyInAnyOrderElementsOf(LOOK_ALIKES.subList(i + 1, LOOK_ALIKES.size()));
        }
    }

    @Test
    @Clause("S10")
    default void theLongestNamesWork() throws Exception {
        ContractClient a = world().client("a");
        int longest = Math.min(LockNames.LONGEST, a.store().info().maxNameLength());
        for (String letter : List.of("x", "ü", "锁", "🔒")) {
            String name = letter.repeat(longest);
            String sibling = letter.repeat(longest - 1) + "y";
            Claim claim = exclusive(name).claim();
            a.granted(claim);
            a.refused(exclusive(name));
            a.granted(exclusive(sibling));
            assertThat(a.status(name).held()).isTrue();
            a.released(claim);
        }
    }

    @Test
    @Clause("S10")
    default void wildcardsInAPrefixAreLetters() throws Exception {
        ContractClient a = world().client("a");
        for (String name : List.of("a%c", "abc", "a_c", "a*c", "a?c", "a[b]c", "a\\c", "A%c", "ab")) {
            a.granted(exclusive(name));
        }
        assertThat(a.names("a%", 10)).containsExactly("a%c");
        assertThat(a.names("a_", 10)).containsExactly("a_c");
        assertThat(a.names("a*", 10)).containsExactly("a*c");
        assertThat(a.names("a?", 10)).containsExactly("a?c");
        assertThat(a.names("a[", 10)).containsExactly("a[b]c");
        assertThat(a.names("a\\", 10)).containsExactly("a\\c");
        assertThat(a.names("A", 10)).containsExactly("A%c");
        assertThat(a.names("ab", 10)).containsExactly("ab", "abc");
        assertThat(a.names("abcd", 10)).isEmpty();
    }

    @Test
    @Clause("S10")
    default void listsAreInTheOrderOfTheBytesAndNoLongerThanWanted() throws Exception {
        ContractClient a = world().client("a");
        List<String> inOrder = List.of("p-", "p-0", "p-A", "p-a", "p-ab", "p-~", "p-é", "p-锁", "p-\uffee", "p-🔒");
        for (int i = inOrder.size() - 1; i >= 0; i--) {
            a.granted(exclusive(inOrder.get(i)));
        }
        Claim gone = exclusive("p-gone").claim();
        a.granted(gone);
        a.released(gone);

        assertThat(a.names("p-", 100)).containsExactlyElementsOf(inOrder);
        assertThat(a.names("p-", 3)).containsExactlyElementsOf(inOrder.subList(0, 3));
    }
}
