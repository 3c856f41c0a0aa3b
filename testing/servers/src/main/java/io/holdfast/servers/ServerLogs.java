package io.holdfast.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * After a failed test, what the servers of this JVM have printed last, those included that the test has closed: in
 * {@code target/failed/<class>.<method>.txt}, which {@code ./test} shows. Servers of tests that run beside it are in it
 * too.
 */
public final class ServerLogs implements BeforeTestExecutionCallback, AfterTestExecutionCallback {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(ServerLogs.class);

    /** Used by JUnit, which detects it. */
    public ServerLogs() {}

    @Override
    public void beforeTestExecution(ExtensionContext test) {
        test.getStore(NAMESPACE).put("begin", System.nanoTime());
    }

    @Override
    public void afterTestExecution(ExtensionContext test) throws IOException {
        Optional<Throwable> failure = test.getExecutionException();
        Long begin = test.getStore(NAMESPACE).get("begin", Long.class);
        String logs = LiveServers.logs(begin == null ? System.nanoTime() : begin);
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
