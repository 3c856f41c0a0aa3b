package io.holdfast.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * After a failed test, what the servers of this JVM have said, before the test closes them: in
 * {@code target/failed/<class>.<method>.txt}, which {@code ./test} shows. Servers that several test classes share are in
 * it too.
 */
public final class ServerLogs implements AfterTestExecutionCallback {
    /** Used by JUnit, which detects it. */
    public ServerLogs() {}

    @Override
    public void afterTestExecution(ExtensionContext test) throws IOException {
        Optional<Throwable> failure = test.getExecutionException();
        String logs = LiveServers.logs();
        if (failure.isEmpty() || isSkipped(failure.get()) || logs.isEmpty()) {
            return;
        }
        Path folder = Path.of(System.getProperty("basedir", ""), "target", "failed");
        Files.createDirectories(folder);
        String name = test.getRequiredTestClass().getSimpleName() + "."
                + test.getRequiredTestMethod().getName();
        Files.writeString(folder.resolve(name + ".txt"), failure.get() + "\n\n" + logs);
    }

    private static boolean isSkipped(Throwable failure) {
        return failure.getClass().getName().equals("org.opentest4j.TestAbortedException");
    }
}
