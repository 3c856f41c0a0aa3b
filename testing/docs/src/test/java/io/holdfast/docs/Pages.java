package io.holdfast.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the pages show and what the tests of this module run. A region of a test begins with {@code // snippet NAME} and
 * ends with {@code // end}; a page shows it without its indentation, and with an address that a reader can use instead
 * of the one of the test's server.
 */
final class Pages {
    private static final Pattern REGION = Pattern.compile("// snippet ([\\w-]+)\n(.*?)\n *// end\n", Pattern.DOTALL);

    /** What a test writes, and what a page writes instead. */
    private static final Map<String, String> ADDRESSES = Map.of(
            "redisUrl()", "\"redis://localhost:6379\"",
            "postgresUrl()", "\"jdbc:postgresql://localhost/app?user=app&password=secret&holdfast.autoCreate=true\"",
            "sqliteUrl()", "\"sqlite:/var/lib/app/locks.db\"");

    private Pages() {}

    /** The nearest folder above this module that has a README and the core. */
    static Path root() {
        Path folder = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
        while (!Files.exists(folder.resolve("README.md")) || !Files.exists(folder.resolve("core"))) {
            Path parent = folder.getParent();
            if (parent == null) {
                throw new IllegalStateException(
                        "no README.md above " + Path.of("").toAbsolutePath());
            }
            folder = parent;
        }
        return folder;
    }

    /** The blocks of one language of a page of this repository, in their order. */
    static List<String> blocks(String page, String language) throws IOException {
        Pattern block = Pattern.compile("(?m)^```" + language + "\n(.*?)\n```$", Pattern.DOTALL | Pattern.MULTILINE);
        List<String> found = new ArrayList<>();
        Matcher matcher = block.matcher(Files.readString(root().resolve(page)));
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }

    /** All regions of the tests of this module by name, as a page shows them. */
    static Map<String, String> regions() throws IOException {
        Map<String, String> regions = new LinkedHashMap<>();
        for (Path source : sources()) {
            Matcher matcher = REGION.matcher(Files.readString(source));
            while (matcher.find()) {
                if (regions.put(matcher.group(1), shown(matcher.group(2))) != null) {
                    throw new IllegalStateException("two regions are called " + matcher.group(1));
                }
            }
        }
        return regions;
    }

    /** All import lines of the tests of this module. */
    static List<String> imports() throws IOException {
        List<String> lines = new ArrayList<>();
        for (Path source : sources()) {
            Files.readAllLines(source).stream()
                    .filter(line -> line.startsWith("import "))
                    .forEach(lines::add);
        }
        return lines;
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.list(root().resolve("testing/docs/src/test/java/io/holdfast/docs"))) {
            return files.sorted().toList();
        }
    }

    private static String shown(String region) {
        String text = region.stripIndent();
        for (Map.Entry<String, String> address : ADDRESSES.entrySet()) {
            text = text.replace(address.getKey(), address.getValue());
        }
        return text;
    }
}
