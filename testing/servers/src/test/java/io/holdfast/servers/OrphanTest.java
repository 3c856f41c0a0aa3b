package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A server does not outlive the JVM that started it, however that JVM ends. */
@ExtendWith(NothingLeftBehind.class)
@Timeout(120)
class OrphanTest {
    /** Starts a Redis, prints its process id and ends as it is told, without closing it. */
    static final class Parent {
        private Parent() {}

        public static void main(String[] args) throws IOException {
            RedisServer redis = RedisServer.open();
            if (args.length > 0) {
                redis.pause();
            }
            System.out.println(redis.pid() + " " + redis.data().getParent());
            if (System.in.read() == 'x') {
                System.exit(0);
            }
        }
    }

    @Test
    void theServerDiesWithAKilledJvm() throws Exception {
        try (Child child = new Child()) {
            Orphan server = child.server();
            child.process.destroyForcibly();
            awaitEnd(server);
        }
    }

    @Test
    void aPausedServerDiesWithAKilledJvm() throws Exception {
        try (Child child = new Child("paused")) {
            Orphan server = child.server();
            child.process.destroyForcibly();
            awaitEnd(server);
        }
    }

    @Test
    void theServerDiesWithAJvmThatExitsWithoutClosingIt() throws Exception {
        try (Child child = new Child()) {
            Orphan server = child.server();
            child.process.getOutputStream().write('x');
            child.process.getOutputStream().flush();
            assertThat(child.process.waitFor()).isZero();
            awaitEnd(server);
        }
    }

    private static void awaitEnd(Orphan server) {
        await().atMost(TimeScale.of(Duration.ofSeconds(5)))
                .until(() -> !server.process.isAlive() && !Files.exists(server.folder));
    }

    private record Orphan(ProcessHandle process, Path folder) {}

    private static final class Child implements AutoCloseable {
        final Process process;

        Child(String... arguments) throws IOException {
            ProcessBuilder builder = new ProcessBuilder(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    Parent.class.getName());
            builder.command().addAll(List.of(arguments));
            process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        }

        Orphan server() throws IOException {
            BufferedReader out =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            String[] words = out.readLine().split(" ");
            Orphan server =
                    new Orphan(ProcessHandle.of(Long.parseLong(words[0])).orElseThrow(), Path.of(words[1]));
            assertThat(server.process.isAlive()).isTrue();
            assertThat(server.folder).isDirectory();
            return server;
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }
}
