package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.input.ExitCode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher script, in a copy of the repository's outline. Maven is the one thing that is not real here: what stands
 * in for it counts its calls and leaves a jar that leads to the classes under test.
 */
class LauncherTest {
    @TempDir
    Path folder;

    private Path root = Path.of("");
    private Path tools = Path.of("");

    @BeforeEach
    void outlineOfTheRepository() throws IOException {
        root = Files.createDirectories(folder.resolve("a clone's folder"));
        tools = Files.createDirectories(folder.resolve("tools"));
        Files.copy(launcher(), root.resolve("holdfast"));
        for (String source : List.of("core/src/main", "stores/sqlite/src/main", "cli/src/main")) {
            Files.createDirectories(root.resolve(source));
        }
        for (String pom : List.of("pom.xml", "core/pom.xml", "stores/sqlite/pom.xml", "cli/pom.xml")) {
            Files.writeString(root.resolve(pom), "");
        }
        Path jar = folder.resolve("all.jar");
        writeJarThatLeadsToTheClassesUnderTest(jar);
        program(
                "mvn",
                "echo called >>'" + folder.resolve("mvn-calls")
                        + "'; sleep 0.3; mkdir -p cli/target cli/stores/target &&"
                        + " cp '" + jar + "' cli/target/holdfast-cli-1-all.jar &&"
                        + " cp '" + jar + "' cli/stores/target/holdfast-cli-stores-1-all.jar");
    }

    @Test
    void buildsOnceWhenManyStartAtOnceAndSaysSo() {
        List<Spawned> runs = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                runs.add(launch(Map.of(), root.resolve("holdfast").toString(), "version"));
            }
            for (Spawned run : runs) {
                assertThat(run.exitCode()).as(run.err()).isZero();
                assertThat(run.out()).startsWith("holdfast ");
            }
        } finally {
            runs.forEach(Spawned::close);
        }
        assertThat(builds()).isEqualTo(1);
        assertThat(runs.stream().filter(run -> run.err().contains("building Holdfast (first run)")))
                .hasSize(1);
    }

    @Test
    void buildsAgainWhenASourceHasChangedAndOnlyThen() throws IOException {
        assertVersion(Map.of());
        assertVersion(Map.of());
        assertThat(builds()).isEqualTo(1);
        Path source = Files.writeString(root.resolve("cli/src/main/New.java"), "");
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(1)));
        assertVersion(Map.of());
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void startsThroughALinkFromAnyFolderWithItsArgumentsAndLocaleUntouched() throws IOException {
        Path link = Files.createSymbolicLink(tools.resolve("hf"), Path.of("../a clone's folder/holdfast"));
        String store = "sqlite:" + folder.resolve("locks.db");
        String script = "printf '<%s>' \"$@\" \"${LC_ALL-none}\" \"${HOLDFAST_LC_ALL-none}\"";
        try (Spawned run = launch(
                Map.of("LC_ALL", "C"),
                link.toString(),
                "run",
                "größe",
                "--store",
                store,
                "--",
                "sh",
                "-c",
                script,
                "-",
                "a  b",
                "",
                "'$x\"",
                "ü")) {
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).isEqualTo("<a  b><><'$x\"><ü><C><none>");
        }
        try (Spawned again = launch(Map.of(), link.toString(), "show", "größe", "--store", store)) {
            assertThat(again.exitCode()).isZero();
            assertThat(again.out()).contains("größe", "free");
            assertThat(again.err()).isEmpty();
        }
    }

    @Test
    void javaHomeIsHonouredAndWhatIsMissingIsNamed() throws IOException {
        assertVersion(Map.of("JAVA_HOME", System.getProperty("java.home")));
        assertFails(Map.of("JAVA_HOME", "/nowhere"), "JAVA_HOME is '/nowhere'");

        Path old = Files.createDirectories(folder.resolve("old/bin"));
        program(old.resolve("java"), "echo 'openjdk version \"11.0.2\"' >&2");
        assertFails(Map.of("JAVA_HOME", folder.resolve("old").toString()), "JDK 17 or newer");
    }

    @Test
    void benchIsHandedToTheBenchmarkWithoutBuildingTheCommand() throws IOException {
        try (Spawned run = launch(Map.of(), root.resolve("holdfast").toString(), "bench", "--list")) {
            assertThat(run.exitCode()).isEqualTo(ExitCode.INTERNAL);
            assertThat(run.err()).contains("bench works in a source checkout only");
        }
        Files.createDirectories(root.resolve("testing/bench"));
        program(root.resolve("testing/bench/run"), "printf '<%s>' \"$@\"; exit 1");
        try (Spawned run = launch(Map.of(), root.resolve("holdfast").toString(), "bench", "--only", "redis-*", "a b")) {
            assertThat(run.exitCode()).as("the benchmark's own").isEqualTo(1);
            assertThat(run.out()).isEqualTo("<--only><redis-*><a b>");
        }
        assertThat(folder.resolve("mvn-calls")).doesNotExist();
    }

    @Test
    void cdpathAndAColonDoNotLeadItAstray() throws IOException {
        Path decoy = Files.createDirectories(folder.resolve("decoy/a clone's folder"));
        Map<String, String> environment =
                Map.of("CDPATH", folder.resolve("decoy").toString());
        try (Spawned run = launch(environment, "sh", "-c", "exec \"a clone's folder/holdfast\" version")) {
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).startsWith("holdfast ").hasLineCount(1);
        }
        assertThat(decoy).isEmptyDirectory();
        Path colon = Files.createDirectories(folder.resolve("a:b"));
        Files.copy(root.resolve("holdfast"), colon.resolve("holdfast"));
        try (Spawned run = launch(Map.of(), colon.resolve("holdfast").toString(), "version")) {
            assertThat(run.exitCode()).isEqualTo(ExitCode.INTERNAL);
            assertThat(run.err()).contains("has a colon in its path").hasLineCount(1);
        }
    }

    /** B8, also in the scripts of the example and of the benchmark, which are launchers of their own. */
    @Test
    void cdpathDoesNotLeadTheOtherScriptsAstray() throws IOException {
        Path java = folder.resolve("java");
        program(Files.createDirectories(java.resolve("bin")).resolve("java"), "printf '<%s>' \"$@\"");
        for (String script : List.of("examples/stock", "testing/bench")) {
            Path here = Files.createDirectories(root.resolve(script));
            Files.copy(launcher().resolveSibling(script).resolve("run"), here.resolve("run"));
            Files.createDirectories(here.resolve("target"));
            Files.createDirectories(root.resolve("testing/servers"));
            Files.createDirectories(folder.resolve("decoy").resolve(script));
            Files.writeString(here.resolve("target/class-path"), "the-class-path");
            Map<String, String> environment =
                    Map.of("CDPATH", folder.resolve("decoy").toString(), "JAVA_HOME", java.toString());
            try (Spawned run =
                    launch(environment, "sh", "-c", "cd \"a clone's folder\" && exec " + script + "/run one 'two 2'")) {
                assertThat(run.exitCode()).as(run.err()).isZero();
                assertThat(run.out())
                        .contains("<" + here.resolve("target/classes") + ":the-class-path>")
                        .endsWith("<one><two 2>");
            }
        }
    }

    @Test
    void everyJavaOfThisMachineStartsItWithoutAWord() throws IOException {
        assertVersion(Map.of());
        String store = "sqlite:" + folder.resolve("locks.db");
        try (Stream<Path> javas =
                Files.list(Path.of(System.getProperty("java.home")).resolveSibling("."))) {
            for (Path java :
                    javas.filter(home -> Files.exists(home.resolve("bin/java"))).toList()) {
                String launcher = root.resolve("holdfast").toString();
                for (int i = 0; i < 2; i++) {
                    try (Spawned run = launch(
                            Map.of("JAVA_HOME", java.toString()),
                            launcher,
                            "run",
                            "x",
                            "--store",
                            store,
                            "--",
                            "echo",
                            "hi")) {
                        assertThat(run.exitCode()).as("%s: %s", java, run.err()).isZero();
                        assertThat(run.out()).as("%s", java).isEqualTo("hi\n");
                        assertThat(run.err()).as("%s", java).isEmpty();
                    }
                }
            }
        }
    }

    @Test
    void anotherUserMayStartWhatCannotBeWrittenTo() throws IOException {
        assertVersion(Map.of());
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        List<String> words = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            words.addAll(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
        } else {
            Files.setPosixFilePermissions(root.resolve(".holdfast"), PosixFilePermissions.fromString("r-xr-xr-x"));
        }
        words.addAll(List.of(root.resolve("holdfast").toString(), "version"));
        // A Java that the build was not prepared for; a stand-in, because the other user may not read the class path
        // here.
        Path other = folder.resolve("other");
        Files.createDirectories(other.resolve("bin"));
        program(
                other.resolve("bin/java"),
                "case $1 in -version) echo 'openjdk version \"17.0.1\"' >&2 ;; *) echo started ;; esac");
        Map<String, String> environment = Map.of("JAVA_HOME", other.toString());
        try (Spawned run = launch(environment, words.toArray(String[]::new))) {
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).isEqualTo("started\n");
            assertThat(run.err()).isEmpty();
        }
        Path source = Files.writeString(root.resolve("cli/src/main/New.java"), "");
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(1)));
        try (Spawned run = launch(environment, words.toArray(String[]::new))) {
            assertThat(run.exitCode()).isEqualTo(ExitCode.INTERNAL);
            assertThat(run.err()).contains("as a user who can").hasLineCount(1);
        }
    }

    @Test
    void aScriptUnderRunFindsHoldfast() {
        String store = "sqlite:" + folder.resolve("locks.db");
        try (Spawned run = launch(
                Map.of(),
                root.resolve("holdfast").toString(),
                "run",
                "x",
                "--store",
                store,
                "--",
                "sh",
                "-c",
                "holdfast admit resource && echo admitted")) {
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).isEqualTo("admitted\n");
        }
    }

    /** U1-6: minutes of silence, and then escape codes of Maven before the output of the job. */
    @Test
    void aBuildTellsItsStepsOnATerminalAndNothingOfMavensIsMixedWithTheOutput() throws IOException {
        String mvn = Files.readString(tools.resolve("mvn")).replace("#!/bin/sh", "");
        program(
                "mvn",
                "printf '\\033[0m\\033[0m[INFO] Scanning\\n';"
                        + " echo '[INFO] Building Holdfast core 0.1.0-SNAPSHOT            [2/12]';" + mvn
                        + "printf '\\033[0m\\033[0m'");
        String command = "'" + root.resolve("holdfast").toString().replace("'", "'\\''") + "' version";
        try (Spawned run = launch(
                Map.of("SHELL", "/bin/sh"), "script", "--quiet", "--return", "--command", command, "/dev/null")) {
            assertThat(run.exitCode()).as(run.out()).isZero();
            assertThat(run.out())
                    .contains("building Holdfast (first run)", "  [2/12] Holdfast core\r\n", "holdfast ")
                    .doesNotContain("\u001b", "Scanning");
        }
        Path source = Files.writeString(root.resolve("cli/src/main/New.java"), "");
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(1)));
        try (Spawned run = launch(Map.of(), root.resolve("holdfast").toString(), "version")) {
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).startsWith("holdfast ").hasLineCount(1);
            assertThat(run.err())
                    .contains("building Holdfast (its sources have changed)")
                    .hasLineCount(1);
        }
    }

    @Test
    void failedBuildIsShownAndNotTakenForOne() throws IOException {
        program("mvn", "echo 'compiler says no'; exit 1");
        assertFails(Map.of(), "the build failed");
        assertFails(Map.of(), "compiler says no");
    }

    private void assertVersion(Map<String, String> environment) {
        try (Spawned run = launch(environment, root.resolve("holdfast").toString(), "version")) {
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).startsWith("holdfast ");
        }
    }

    private void assertFails(Map<String, String> environment, String names) {
        try (Spawned run = launch(environment, root.resolve("holdfast").toString(), "version")) {
            assertThat(run.exitCode()).isEqualTo(ExitCode.INTERNAL);
            assertThat(run.err()).contains(names);
        }
    }

    private Spawned launch(Map<String, String> environment, String... words) {
        Map<String, String> all = new HashMap<>(environment);
        all.putIfAbsent("JAVA_HOME", System.getProperty("java.home"));
        all.put("PATH", tools + ":" + System.getenv("PATH"));
        return Spawned.start(folder, all, List.of(words));
    }

    private long builds() {
        return Spawned.text(folder.resolve("mvn-calls")).lines().count();
    }

    private void program(String name, String body) throws IOException {
        program(tools.resolve(name), body);
    }

    private static void program(Path file, String body) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + body + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static Path launcher() {
        Path module = Path.of("").toAbsolutePath();
        Path beside = module.resolveSibling("holdfast");
        assertThat(beside).as("the launcher beside the module's folder").isRegularFile();
        return beside;
    }

    private static void writeJarThatLeadsToTheClassesUnderTest(Path jar) throws IOException {
        StringBuilder classPath = new StringBuilder();
        for (String entry : System.getProperty("java.class.path").split(":")) {
            classPath.append(Path.of(entry).toUri()).append(' ');
        }
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, Main.class.getName());
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, classPath.toString());
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file, manifest)) {
            out.flush();
        }
    }
}
