package io.holdfast.servers;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** After each test no child process lives, be it a server or a watch, and no proxy thread. */
final class NothingLeftBehind implements AfterEachCallback {
    @Override
    public void afterEach(ExtensionContext context) {
        await("child processes end")
                .atMost(TimeScale.of(Duration.ofSeconds(10)))
                .until(() -> ProcessHandle.current().descendants().noneMatch(ProcessHandle::isAlive));
        await("proxy threads end")
                .atMost(TimeScale.of(Duration.ofSeconds(10)))
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("holdfast-proxy")));
    }
}
