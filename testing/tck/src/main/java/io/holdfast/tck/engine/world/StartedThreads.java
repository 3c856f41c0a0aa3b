package io.holdfast.tck.engine.world;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * The threads of clients that the running test started, directly or through others, so that a test sees what its own
 * clients leave behind and not the clients of a test that runs beside it.
 *
 * <p>A new thread has the context class loader of the thread that made it. Each test gets a class loader of its own,
 * which does nothing but ask its parent, and recognises its threads by it. A test class that is {@link Isolated} has the
 * JVM for itself and looks at all threads.
 */
public final class StartedThreads {
    private static final String CLIENTS = "holdfast-";

    private final boolean all;
    private final Thread test = Thread.currentThread();
    private final @Nullable ClassLoader before = test.getContextClassLoader();
    private final ClassLoader mark = new ClassLoader(before) {};

    private StartedThreads(boolean all) {
        this.all = all;
    }

    /** For a test of this class that begins on this thread. */
    public static StartedThreads begin(Class<?> testClass) {
        StartedThreads threads = new StartedThreads(testClass.isAnnotationPresent(Isolated.class));
        threads.test.setContextClassLoader(threads.mark);
        return threads;
    }

    /** The test has ended: this thread starts no more for it. */
    public void end() {
        test.setContextClassLoader(before);
    }

    public boolean noneIsLeft() {
        return left().isEmpty();
    }

    private List<String> left() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.isAlive() && thread.getName().startsWith(CLIENTS))
                .filter(thread -> all || thread.getContextClassLoader() == mark)
                .map(Thread::getName)
                .toList();
    }

    /** Those that are left. */
    @Override
    public String toString() {
        return String.join(", ", left());
    }
}
