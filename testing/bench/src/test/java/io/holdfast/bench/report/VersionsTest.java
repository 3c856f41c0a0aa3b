package io.holdfast.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("quick")
class VersionsTest {
    @Test
    void aJarHasTheVersionOfItsNameAndAFolderHasNone() {
        assertThat(Versions.of("lib/sqlite-jdbc-3.53.4.0.jar" + File.pathSeparator + "target/classes"
                        + File.pathSeparator + "holdfast-core-0.1.0-SNAPSHOT.jar"))
                .containsExactly(Map.entry("holdfast-core", "0.1.0-SNAPSHOT"), Map.entry("sqlite-jdbc", "3.53.4.0"));
    }

    @Test
    void thePeersOnThisClassPathAreFound() {
        assertThat(Versions.of(System.getProperty("java.class.path")))
                .containsKeys("redisson", "lettuce-core", "spring-integration-redis", "sqlite-jdbc");
    }
}
