package io.holdfast.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.HoldfastBuilder;
import io.holdfast.HoldfastListener;
import io.holdfast.LockOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages show the code that {@link JavaPageTest} runs, letter by letter, and a POM that fits this build. */
@Tag("quick") // needs no server
final class SnippetsTest {
    private static final List<String> PAGES =
            List.of("README.md", "README.zh-CN.md", "docs/java.md", "docs/zh-CN/java.md");
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(holdfast-[\\w-]+)</artifactId>");
    private static final Pattern VERSION = Pattern.compile("<version>([^<]+)</version>");

    @Test
    void everyJavaBlockOfThePagesIsCodeThatATestRuns() throws IOException {
        Map<String, String> regions = Pages.regions();
        Set<String> imports = new HashSet<>(Pages.imports());
        List<String> notRun = new ArrayList<>();
        int compared = 0;
        for (String page : PAGES) {
            for (String block : Pages.blocks(page, "java")) {
                compared++;
                boolean run = regions.containsValue(block)
                        || block.lines().allMatch(line -> line.isEmpty() || imports.contains(line));
                if (!run) {
                    notRun.add(page + ":\n" + block);
                }
            }
        }
        assertThat(notRun).isEmpty();
        assertThat(compared).isGreaterThan(25);
    }

    @Test
    void everyRegionOfTheTestsIsShown() throws IOException {
        Set<String> shown = new HashSet<>();
        for (String page : PAGES) {
            shown.addAll(Pages.blocks(page, "java"));
        }
        Map<String, String> regions = Pages.regions();
        assertThat(regions.keySet())
                .isNotEmpty()
                .allSatisfy(name -> assertThat(shown).as(name).contains(regions.get(name)));
    }

    @Test
    void theJavaPageNamesEveryTypeEveryOptionAndEveryEventOfTheApi() throws IOException {
        String page = Files.readString(Pages.root().resolve("docs/java.md"));
        List<String> names = new ArrayList<>();
        for (String room : List.of("io/holdfast", "io/holdfast/fence")) {
            try (Stream<Path> files = Files.list(Pages.root().resolve("core/src/main/java/" + room))) {
                files.map(file -> file.getFileName().toString())
                        .filter(file -> file.endsWith(".java") && !file.equals("package-info.java"))
                        .forEach(file -> names.add(file.replace(".java", "")));
            }
        }
        for (Class<?> type : List.of(LockOptions.class, HoldfastBuilder.class)) {
            Stream.of(type.getMethods())
                    .filter(method -> method.getReturnType().equals(type)
                            && !method.getName().equals("orElse"))
                    .forEach(method -> names.add(method.getName()));
        }
        Stream.of(HoldfastListener.class.getMethods()).forEach(event -> names.add(event.getName()));

        assertThat(names)
                .hasSizeGreaterThan(50)
                .allSatisfy(name -> assertThat(page).containsPattern("\\b" + name + "\\b"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "README.zh-CN.md", "docs/java.md", "docs/zh-CN/java.md"})
    void thePomOfThePagesNamesArtifactsOfTheBomAndTheVersionOfThisBuild(String page) throws IOException {
        String bom = Files.readString(Pages.root().resolve("bom/pom.xml"));
        String parent = Files.readString(Pages.root().resolve("pom.xml"));
        Matcher version = VERSION.matcher(parent);
        assertThat(version.find()).isTrue();

        String poms = String.join("\n", Pages.blocks(page, "xml"));
        assertThat(ARTIFACT.matcher(poms).results().map(found -> found.group(1)))
                .isNotEmpty()
                .allSatisfy(artifact -> assertThat(bom).contains("<artifactId>" + artifact + "</artifactId>"));
        assertThat(VERSION.matcher(poms).results().map(found -> found.group(1)))
                .isNotEmpty()
                .containsOnly(version.group(1));
    }
}
