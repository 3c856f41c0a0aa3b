package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** A failed test leaves what its servers printed. */
class ServerLogsTest {
    private static final Path FOLDER = Path.of(System.getProperty("basedir", ""), "target", "failed");

    @Test
    void aFailedTestLeavesTheLogsOfItsServersAndASkippedOneDoesNot() throws Exception {
        Path fails = FOLDER.resolve("Sample.fails.txt");
        Path isSkipped = FOLDER.resolve("Sample.isSkipped.txt");
        Files.deleteIfExists(fails);
        Files.deleteIfExists(isSkipped);

        LauncherFactory.create()
                .execute(LauncherDiscoveryRequestBuilder.request()
                        .selectors(selectClass(Sample.class))
                        .build());

        assertThat(fails)
                .content()
                .contains("this is what went wrong")
                .containsPattern("redis on 127.0.0.1:\\d+, which runs, printed last\\n")
                .containsPattern("redis on 127.0.0.1:\\d+, which was closed, printed last\\n")
                .contains("Ready to accept connections");
        assertThat(isSkipped).doesNotExist();
    }

    /** Run by the launcher only: its name does not end with Test. */
    @ExtendWith(ServerLogs.class)
    static class Sample {
        private final RedisServer lasting = RedisServer.open();

        @AfterEach
        void close() {
            lasting.close();
        }

        @Test
        void fails() {
            try (RedisServer server = RedisServer.open()) {
                throw new IllegalStateException("this is what went wrong with " + server);
            }
        }

        @Test
        void isSkipped() {
            assumeThat(true).isFalse();
        }
    }
}
