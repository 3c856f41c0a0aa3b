package io.holdfast.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The documents lead somewhere, and claim only what a test shows. */
class DocumentationTest {
    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.+)$");
    private static final Pattern TEST_NAME = Pattern.compile("`(\\w+(?:Test|Contract))(?:\\.(\\w+))?`");

    @Test
    void theReadmeIsShort() throws IOException {
        assertThat(Files.readAllLines(Repository.root().resolve("README.md"))).hasSizeLessThan(250);
    }

    @Test
    void theTwoCommandsAndTheGuideToChoosingAreOnTheFirstScreen() throws IOException {
        for (String readme : List.of("README.md", "README.zh-CN.md")) {
            List<String> screen =
                    Files.readAllLines(Repository.root().resolve(readme)).subList(0, 20);

            assertThat(String.join("\n", screen))
                    .contains("./holdfast run nightly-report -- ./report.sh", "./test", "docs/choosing.md");
        }
        for (String needed : List.of("holdfast", "report.sh", "test")) {
            assertThat(Repository.root().resolve(needed))
                    .as("what the two commands name is there, and can be run as it is written")
                    .isExecutable();
        }
    }

    @Test
    void everyLinkInsideTheRepositoryLeadsSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        int followed = 0;
        for (Path page : pages()) {
            Matcher link = LINK.matcher(Files.readString(page));
            while (link.find()) {
                if (!link.group(1).contains("://")) {
                    followed++;
                    if (!exists(page, link.group(1))) {
                        broken.add(Repository.root().relativize(page) + ": " + link.group(1));
                    }
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(followed).isGreaterThan(30);
    }

    @Test
    void whatTheReadmeSaysWorksNamesATestThatExists() throws IOException {
        List<String> rows = Files.readAllLines(Repository.root().resolve("README.md")).stream()
                .filter(line -> line.matches("\\|.*\\| works \\|.*"))
                .toList();
        Set<String> tests = testClasses();

        assertThat(rows).isNotEmpty().allMatch(row -> TEST_NAME.matcher(row).find(), "names a test");
        for (String row : rows) {
            TEST_NAME.matcher(row).results().forEach(name -> assertThat(tests).contains(name.group(1)));
        }
    }

    @Test
    void theTestsThatTheDocumentsNameExist() throws IOException {
        Set<String> tests = testClasses();
        for (Path page : pages()) {
            TEST_NAME
                    .matcher(Files.readString(page))
                    .results()
                    .forEach(name -> assertThat(tests).as("%s", page).contains(name.group(1)));
        }
    }

    private static boolean exists(Path page, String link) throws IOException {
        int hash = link.indexOf('#');
        String file = hash < 0 ? link : link.substring(0, hash);
        Path target = file.isEmpty() ? page : page.resolveSibling(file).normalize();
        if (!Files.exists(target)) {
            return false;
        }
        return hash < 0
                || HEADING.matcher(Files.readString(target))
                        .results()
                        .anyMatch(heading -> anchor(heading.group(1)).equals(link.substring(hash + 1)));
    }

    /** As code hosts make it: lower case, without punctuation, spaces become hyphens. */
    private static String anchor(String heading) {
        return heading.toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
    }

    private static List<Path> pages() throws IOException {
        Path root = Repository.root();
        try (Stream<Path> top = Files.list(root);
                Stream<Path> docs = Files.walk(root.resolve("docs"))) {
            return Stream.concat(top, docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    private static Set<String> testClasses() throws IOException {
        try (Stream<Path> files = Files.walk(Repository.root())) {
            return files.filter(file -> file.toString().endsWith(".java")
                            && !file.toString().contains("/target/"))
                    .map(file -> file.getFileName().toString().replace(".java", ""))
                    .collect(Collectors.toSet());
        }
    }
}
