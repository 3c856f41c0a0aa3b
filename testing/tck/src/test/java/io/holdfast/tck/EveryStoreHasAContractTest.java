package io.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every store in this repository has a test that extends the contract. */
class EveryStoreHasAContractTest {
    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\\n]*", Pattern.DOTALL);
    private static final Pattern STORE = Pattern.compile(
            "\\b(?:class|record|enum)\\s+(\\w+)[^{;]*?\\bimplements\\b[^{;]*?\\b(?:LockStore|QueueingStore|WatchableStore|MarkingStore)\\b(?!\\.)");
    private static final Pattern CONTRACT =
            Pattern.compile("\\bextends\\s+(?:LockStoreContract|QueueingStoreContract|WatchableStoreContract)\\b");

    /** Tools of this repository that implement the contract's types and are no stores that a client could use. */
    private static final Map<String, String> TOOLS = Map.of(
            "CountedStore", "counts the calls of a benchmark and passes them on",
            "ReadOnlyStore", "passes only inspect on; LookTest and SqlLookTest show that the other verbs are refused",
            "SimStore", "a client behind the simulated network, whose server is the LockTable that memory tests",
            "QueueingSimStore", "the same, with a queue",
            "WatchableSimStore", "the same, with hints");

    @Test
    void everyStoreInTheRepositoryIsNamedByATestThatExtendsTheContract() throws IOException {
        Path root = root();

        Map<String, Path> stores = stores(root);
        assertThat(stores).as("stores found under %s", root).containsKey("MemoryLockStore");
        assertThat(stores.keySet()).as("tools that are still there").containsAll(TOOLS.keySet());
        Set<String> untested = untested(root, stores.keySet());
        untested.removeAll(TOOLS.keySet());
        assertThat(untested)
                .as("stores without a contract test; a test class named *Test extends LockStoreContract and names the "
                        + "store, itself or through its fixture")
                .isEmpty();
    }

    @Test
    void aStoreWithoutATestIsFound(@TempDir Path root) throws IOException {
        write(
                root,
                "stores/x/src/main/java/XStore.java",
                "/** Not: class Doc implements LockStore. */\n"
                        + "public final class XStore\n    implements java.io.Closeable, WatchableStore {}");
        write(root, "stores/y/src/main/java/YStore.java", "class YStore<T> implements LockStore {}");
        write(root, "stores/y/src/test/java/YTest.java", "class YTest extends LockStoreContract { YFixture f; }");
        write(root, "stores/y/src/test/java/YFixture.java", "class YFixture { YFile f; }");
        write(root, "stores/y/src/test/java/YFile.java", "class YFile { Object o = new YStore(); }");
        write(root, "stores/z/src/test/java/Other.java", "class Other { XStore mentionedOnly; }");

        assertThat(stores(root).keySet()).containsExactly("XStore", "YStore");
        assertThat(untested(root, stores(root).keySet())).containsExactly("XStore");
    }

    /** The names of the classes in main code that implement a store contract. */
    private static Map<String, Path> stores(Path root) throws IOException {
        Map<String, Path> stores = new TreeMap<>();
        for (Path file : sources(root, "src/main/java")) {
            Matcher matcher = STORE.matcher(code(file));
            while (matcher.find()) {
                stores.put(matcher.group(1), file);
            }
        }
        return stores;
    }

    /** Those of {@code stores} that no contract test names, itself or through the test classes it uses. */
    private static Set<String> untested(Path root, Set<String> stores) throws IOException {
        Set<String> untested = new TreeSet<>(stores);
        List<Path> tests = sources(root, "src/test/java");
        for (Path file : tests) {
            if (file.toString().endsWith("Test.java")
                    && CONTRACT.matcher(code(file)).find()) {
                for (Path used : used(file, tests)) {
                    String code = code(used);
                    untested.removeIf(store -> names(code, store));
                }
            }
        }
        return untested;
    }

    /** A test and the test classes of its module that it names, directly or through others. */
    private static Set<Path> used(Path test, List<Path> tests) {
        Set<Path> used = new LinkedHashSet<>(List.of(test));
        Deque<Path> open = new ArrayDeque<>(used);
        while (!open.isEmpty()) {
            String code = code(open.pop());
            for (Path other : tests) {
                String type = other.getFileName().toString().replace(".java", "");
                boolean beside = sourceFolder(other).equals(sourceFolder(test));
                if (beside && names(code, type) && used.add(other)) {
                    open.push(other);
                }
            }
        }
        return used;
    }

    private static String sourceFolder(Path test) {
        String path = test.toString().replace('\\', '/');
        return path.substring(0, path.indexOf("/src/test/java/"));
    }

    private static boolean names(String code, String type) {
        return Pattern.compile("\\b" + Pattern.quote(type) + "\\b")
                .matcher(code)
                .find();
    }

    private static List<Path> sources(Path root, String kind) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> file.toString().replace('\\', '/').contains("/" + kind + "/"))
                    .filter(file -> !file.toString().replace('\\', '/').contains("/target/"))
                    .sorted()
                    .toList();
        }
    }

    private static String code(Path file) {
        try {
            return COMMENT.matcher(Files.readString(file)).replaceAll(" ");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(Path root, String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    /** The folder of the aggregator, above the module in which tests run. */
    private static Path root() {
        Path start = Path.of("").toAbsolutePath();
        for (Path at = start; at != null; at = at.getParent()) {
            if (Files.exists(at.resolve("pom.xml")) && Files.isDirectory(at.resolve("core/src/main"))) {
                return at;
            }
        }
        throw new AssertionError("there is no repository above " + start);
    }
}
