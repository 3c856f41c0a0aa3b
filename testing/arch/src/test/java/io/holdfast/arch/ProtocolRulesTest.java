package io.holdfast.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every id of a rule that code or documents mention is defined: promises (P), rules (U, L, N, C) in docs/protocol.md, and
 * clauses of the store contract (S, Q, M) in the Javadoc of the SPI. So a reader can look each of them up.
 */
class ProtocolRulesTest {
    private static final Pattern DEFINED = Pattern.compile("(?m)^- \\*\\*([PULNC]\\d{1,2}b?)\\*\\* ");
    private static final Pattern CLAUSE = Pattern.compile("\\[([SQM]\\d{1,2})\\]");
    private static final Pattern MENTION = Pattern.compile("(?<![\\w.-])(P\\d|[ULNCSQM]\\d{1,2}b?)(?!\\w|=|[.-]\\w)");
    private static final Pattern ELSEWHERE = Pattern.compile("\\bDESIGN\\b|\\bPROTOCOL\\.md");
    private static final Set<String> TEXT = Set.of(".java", ".md", ".lua", ".sql", ".tla", ".sh");

    /** Words that look like an id in the file that ends so. */
    private static final Map<String, Set<String>> OTHER_MEANING =
            Map.of("docs/comparison.md", Set.of("P1", "P2")); // two processes

    @Test
    void everyRuleIdThatCodeOrDocumentsMentionIsDefined() throws IOException {
        Set<String> defined = defined();
        List<String> unknown = new ArrayList<>();
        int mentions = 0;
        for (Path file : files()) {
            String name = Repository.root().relativize(file).toString();
            String[] lines = Files.readString(file).split("\n", -1);
            for (int i = 0; i < lines.length; i++) {
                for (String id : mentions(lines[i])) {
                    mentions++;
                    if (!defined.contains(id)
                            && !OTHER_MEANING.getOrDefault(name, Set.of()).contains(id)) {
                        unknown.add(id + " in " + name + ":" + (i + 1) + ": " + lines[i].strip());
                    }
                }
            }
        }
        assertThat(unknown).isEmpty();
        assertThat(mentions).as("ids found at all").isGreaterThan(400);
    }

    /** bugs.md is older than these pages: what it tells happened under the names of then. */
    @Test
    void noPlanIsNamedThatIsNotInThisRepository() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : files()) {
            String name = Repository.root().relativize(file).toString();
            String[] lines = Files.readString(file).split("\n", -1);
            for (int i = 0; i < lines.length; i++) {
                if (ELSEWHERE.matcher(lines[i]).find() && !name.equals("docs/bugs.md")) {
                    found.add(name + ":" + (i + 1) + ": " + lines[i].strip());
                }
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void anIdThatNoPageDefinesIsFound() throws IOException {
        assertThat(mentions("/** Rule U99: see S77 (L98), and N3. */")).containsExactly("U99", "S77", "L98", "N3");
        assertThat(defined())
                .contains("P1", "U1", "U10b", "L1", "N3", "C6", "S1")
                .doesNotContain("U99", "S77", "L98");
    }

    @Test
    void aRuleIsDefinedOnce() throws IOException {
        String page = Files.readString(Repository.root().resolve("docs/protocol.md"));
        assertThat(DEFINED.matcher(page).results().map(rule -> rule.group(1)))
                .isNotEmpty()
                .doesNotHaveDuplicates();
    }

    private static List<String> mentions(String line) {
        List<String> ids = new ArrayList<>();
        Matcher matcher = MENTION.matcher(line);
        while (matcher.find()) {
            ids.add(matcher.group(1));
        }
        return ids;
    }

    private static Set<String> defined() throws IOException {
        Set<String> ids = new TreeSet<>();
        Path root = Repository.root();
        DEFINED.matcher(Files.readString(root.resolve("docs/protocol.md")))
                .results()
                .forEach(rule -> ids.add(rule.group(1)));
        try (Stream<Path> spi = Files.list(root.resolve("core/src/main/java/io/holdfast/spi"))) {
            for (Path file : spi.filter(Files::isRegularFile).toList()) {
                CLAUSE.matcher(Files.readString(file)).results().forEach(clause -> ids.add(clause.group(1)));
            }
        }
        return ids;
    }

    private static List<Path> files() throws IOException {
        Path root = Repository.root();
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                String name = folder.getFileName().toString();
                boolean ours = folder.equals(root) || !(name.equals("target") || name.startsWith("."));
                return ours ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String name = file.getFileName().toString();
                boolean text = TEXT.stream().anyMatch(name::endsWith);
                if (text && !name.equals("ProtocolRulesTest.java")) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return files;
    }
}
