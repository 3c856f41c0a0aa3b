package io.holdfast.bench.process;

import io.holdfast.bench.library.LockLibraries;
import io.holdfast.bench.library.LockLibrary;
import io.holdfast.bench.measure.LockClient;
import io.holdfast.bench.store.StoreUnderTest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One of several processes on one name. It says how often it had the lock when all of its threads had it once, whenever a
 * line comes in, and, when its standard input ends, after the last pass.
 */
public final class SectionChild {
    public static final int THREADS = 4;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    public static final String PASSES = "passes ";

    private final AtomicLong passes = new AtomicLong();
    private final CountDownLatch warm = new CountDownLatch(THREADS);
    private volatile boolean stopped;

    private SectionChild() {}

    public static ChildJvm start(
            StoreUnderTest store, LockLibrary library, String url, Duration ttl, Path section, int index)
            throws IOException {
        return ChildJvm.start(
                SectionChild.class,
                List.of(),
                List.of(
                        store.catalog().getClass().getName(),
                        library.title(),
                        url,
                        Long.toString(ttl.toMillis()),
                        section.toString(),
                        Integer.toString(index)));
    }

    /** {@code args}: catalog, library, URL, TTL in milliseconds, file of the section, number of the process. */
    public static void main(String[] args) throws Exception {
        ChildJvm.endWithTheParent();
        LockClient client =
                LockLibraries.find(args[0], args[1]).openCold(args[2], Duration.ofMillis(Long.parseLong(args[3])));
        int status = new SectionChild().run(client, SharedSection.in(Path.of(args[4])), Integer.parseInt(args[5]));
        Runtime.getRuntime().halt(status);
    }

    private int run(LockClient client, SharedSection section, int index) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            long who = 1 + index * (long) THREADS + i;
            LockClient.Handle lock = client.handle("hot");
            Thread thread = new Thread(() -> work(lock, section, who));
            thread.start();
            threads.add(thread);
        }
        warm.await();
        say();
        while (System.in.read() >= 0) {
            say();
        }
        stopped = true;
        long end = System.nanoTime() + PATIENCE.toNanos();
        for (Thread thread : threads) {
            TimeUnit.NANOSECONDS.timedJoin(thread, end - System.nanoTime());
            if (thread.isAlive()) {
                // The parent process may have ended, and the store with it.
                return 1;
            }
        }
        say();
        return 0;
    }

    private void say() {
        System.out.println(PASSES + passes.get());
    }

    private void work(LockClient.Handle lock, SharedSection section, long who) {
        boolean counted = false;
        try {
            do {
                long token = lock.lock();
                try {
                    section.pass(who, token);
                    passes.incrementAndGet();
                } finally {
                    lock.unlock();
                }
                if (!counted) {
                    counted = true;
                    warm.countDown();
                }
            } while (!stopped);
        } catch (Exception e) {
            e.printStackTrace(System.err);
            // The others must not wait for a thread that has ended.
            Runtime.getRuntime().halt(1);
        }
    }
}
