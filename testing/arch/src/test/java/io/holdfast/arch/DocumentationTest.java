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
        assertThat(Files.readAllLines(Repository.root().resolve("README.md"))).hasSizeLessThanOrEqualTo(130);
    }

    @Test
    void theBenchmarkPageIsShort() throws IOException {
        assertThat(Files.readAllLines(Repository.root().resolve("docs/benchmarks.md")))
                .hasSizeLessThanOrEqualTo(200);
    }

    @Test
    void theGuideToChoosingIsOnTheFirstScreenAndTheTwoCommandsCanBeRunAsTheyAreWritten() throws IOException {
        for (String readme : List.of("README.md", "README.zh-CN.md")) {
            List<String> lines = Files.readAllLines(Repository.root().resolve(readme));

            assertThat(String.join("\n", lines.subList(0, 20))).contains("choosing.md");
            assertThat(lines)
                    .anyMatch(line -> line.startsWith("./holdfast run nightly-report -- ./report.sh "))
                    .anyMatch(line -> line.startsWith("./test "));
        }
        for (String needed : List.of("holdfast", "report.sh", "test")) {
            assertThat(Repository.root().resolve(needed))
                    .as("what the two commands name is there, and can be run as it is written")
                    .isExecutable();
        }
    }

    @Test
    void theChineseReadmeLeadsToEveryPageToWhichTheEnglishOneLeads() throws IOException {
        List<String> chinese = targets("README.zh-CN.md");
        for (String target : targets("README.md")) {
            String page = target.replaceAll("#.*", "");
            String translated = page.replace("docs/", "docs/zh-CN/");
            if (page.endsWith(".md") && !page.equals("README.zh-CN.md")) {
                assertThat(chinese)
                        .as("README.zh-CN.md leads to %s or its translation", page)
                        .anyMatch(other -> other.startsWith(page) || other.startsWith(translated));
            }
        }
    }

    @Test
    void theChineseReadmeHasEveryStoreAndEveryFigureOfTheEnglishOne() throws IOException {
        String chinese = Files.readString(Repository.root().resolve("README.zh-CN.md"));
        String english = Files.readString(Repository.root().resolve("README.md"));
        List<String> facts = Pattern.compile("`(?:\\w+:[^`]*)`|\\d+,\\d{3}|\\d{3}\\.\\d")
                .matcher(english)
                .results()
                .map(fact -> fact.group())
                .toList();

        assertThat(facts)
                .hasSizeGreaterThanOrEqualTo(20)
                .allSatisfy(fact -> assertThat(chinese).contains(fact));
    }

    @Test
    void everyFigureOfTheReadmeIsOnTheBenchmarkPage() throws IOException {
        String benchmarks = Files.readString(Repository.root().resolve("docs/benchmarks.md"));
        List<String> figures = Files.readAllLines(Repository.root().resolve("README.md")).stream()
                .dropWhile(line -> !line.equals("## Measured"))
                .filter(line -> line.startsWith("| ") && !line.startsWith("| workload") && !line.startsWith("| ---"))
                .flatMap(row -> Pattern.compile("(?<=[ (])\\d[\\d,]*(?:\\.\\d)?(?=\\*| [|·])")
                        .matcher(row)
                        .results())
                .map(figure -> figure.group())
                .toList();

        assertThat(figures)
                .hasSizeGreaterThan(12)
                .allSatisfy(figure -> assertThat(benchmarks).contains(" " + figure + " ("));
    }

    /** At most 120 characters, tables and code aside, for readers of plain text and of differences. */
    @Test
    void thePagesAreWrapped() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path page : pages()) {
            boolean code = false;
            for (String line : Files.readAllLines(page)) {
                if (line.startsWith("```")) {
                    code = !code;
                } else if (!code && !line.stripLeading().startsWith("|") && line.length() > 120) {
                    tooLong.add(Repository.root().relativize(page) + ": " + line);
                }
            }
        }
        assertThat(tooLong).isEmpty();
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
    void whatTheStatusPageSaysWorksNamesATestThatExists() throws IOException {
        List<String> rows = Files.readAllLines(Repository.root().resolve("docs/status.md")).stream()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| capability") && !line.startsWith("| ---"))
                .toList();
        Set<String> tests = testClasses();

        assertThat(rows)
                .isNotEmpty()
                .allSatisfy(row -> assertThat(row).containsPattern("\\| (works|partly|not yet) \\| "));
        List<String> working =
                rows.stream().filter(row -> row.contains("| works |")).toList();
        assertThat(working).isNotEmpty().allMatch(row -> TEST_NAME.matcher(row).find(), "names a test");
        for (String row : working) {
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

    private static List<String> targets(String page) throws IOException {
        return LINK.matcher(Files.readString(Repository.root().resolve(page)))
                .results()
                .map(link -> link.group(1))
                .toList();
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
