package io.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class VersionsTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void aJarThatSaysNothingHasTheVersionOfItsName() {
        assertThat(Versions.of("lib/sqlite-jdbc-3.53.4.0.jar" + File.pathSeparator + "target/classes"
                        + File.pathSeparator + "holdfast-core-0.1.0-SNAPSHOT.jar"))
                .containsExactly(Map.entry("holdfast-core", "0.1.0-SNAPSHOT"), Map.entry("sqlite-jdbc", "3.53.4.0"));
    }

    @Test
    void whatTheJarSaysOfItselfCountsAndNotWhatItSaysOfOthers() throws IOException {
        Path jar = folder.resolve("redisson-1.0.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            properties(out, "inside", "9.9");
            properties(out, "redisson", "4.7.0");
        }
        assertThat(Versions.of(jar.toString())).containsExactly(Map.entry("redisson", "4.7.0"));
    }

    @Test
    void thePeersOnThisClassPathTellTheirs() {
        Map<String, String> peers = Versions.ofContestants(Versions.of(System.getProperty("java.class.path")));
        assertThat(peers).containsKeys("redisson", "lettuce-core", "spring-integration-redis", "sqlite-jdbc");
        assertThat(peers).doesNotContainKeys("junit-jupiter", "assertj-core");
        assertThat(peers.values()).allMatch(version -> version.matches("[0-9].*"));
    }

    private static void properties(JarOutputStream out, String artifact, String version) throws IOException {
        out.putNextEntry(new JarEntry("META-INF/maven/group/" + artifact + "/pom.properties"));
        out.write(("artifactId=" + artifact + "\nversion=" + version + "\n").getBytes(StandardCharsets.UTF_8));
        out.closeEntry();
    }
}
