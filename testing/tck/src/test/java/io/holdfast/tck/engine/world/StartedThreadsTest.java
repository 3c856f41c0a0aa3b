package io.holdfast.tck.engine.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The suites of the engine find the threads that a client left behind, and only those of their own clients. */
@Isolated("looks at all threads of the JVM")
class StartedThreadsTest {
    @Isolated
    private static final class Alone {}

    private static final class Beside {}

    private final CountDownLatch end = new CountDownLatch(1);

    @Test
    void aThreadThatWasStartedThroughAnotherIsFoundUntilItEnds() throws Exception {
        StartedThreads threads = StartedThreads.begin(Beside.class);
        Thread[] left = new Thread[1];
        Thread starter = new Thread(() -> left[0] = client("holdfast-a-timer-1"));
        starter.start();
        starter.join();
        threads.end();

        assertThat(threads.noneIsLeft()).isFalse();
        assertThat(threads).hasToString("holdfast-a-timer-1");

        end.countDown();
        left[0].join();
        assertThat(threads.noneIsLeft()).isTrue();
    }

    @Test
    void aThreadOfAnotherTestIsNotFoundUnlessTheTestIsAlone() throws Exception {
        Thread other = client("holdfast-b-timer-1");
        StartedThreads beside = StartedThreads.begin(Beside.class);
        beside.end();
        StartedThreads alone = StartedThreads.begin(Alone.class);
        alone.end();

        assertThat(beside.noneIsLeft()).isTrue();
        assertThat(alone.noneIsLeft()).isFalse();

        end.countDown();
        other.join();
        assertThat(alone.noneIsLeft()).isTrue();
    }

    @Test
    void theThreadOfTheTestHasItsOwnClassLoaderAgainWhenItEnds() {
        ClassLoader before = Thread.currentThread().getContextClassLoader();

        StartedThreads.begin(Beside.class).end();

        assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
    }

    private Thread client(String name) {
        Thread thread = new Thread(
                () -> {
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
