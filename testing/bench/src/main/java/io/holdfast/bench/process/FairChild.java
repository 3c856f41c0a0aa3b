package io.holdfast.bench.process;

import io.holdfast.bench.library.LockLibraries;
import io.holdfast.bench.library.LockLibrary;
import io.holdfast.bench.measure.LockClient;
import io.holdfast.bench.store.StoreUnderTest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * One of several processes on one name: acquires, holds for 50 ms, releases, and asks again at once. It says how often it
 * had the lock and how long it waited at most, each since it last said so: after the first grant, whenever a line comes in,
 * and when its standard input ends, after the last release. A wait that is not over counts as far as it goes.
 */
public final class FairChild {
    public static final Duration HELD = Duration.ofMillis(50);
    public static final String GRANTS = "grants ";
    public static final String WORST = "worst ";
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final CountDownLatch first = new CountDownLatch(1);
    private volatile boolean stopped;
    private boolean waiting;
    private long waitsSince;
    private long worst;
    private long grants;

    private FairChild() {}

    public static ChildJvm start(
            StoreUnderTest store, LockLibrary library, String url, Duration ttl, Path section, int index)
            throws IOException {
        return ChildJvm.start(
                FairChild.class,
                List.of("-XX:TieredStopAtLevel=1"),
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
        int status = new FairChild().run(client, SharedSection.in(Path.of(args[4])), 1 + Integer.parseInt(args[5]));
        Runtime.getRuntime().halt(status);
    }

    private int run(LockClient client, SharedSection section, long index) throws Exception {
        LockClient.Handle lock = client.handle("fair");
        Thread thread = new Thread(() -> work(lock, section, index));
        thread.start();
        first.await();
        say();
        while (System.in.read() >= 0) {
            say();
        }
        stopped = true;
        TimeUnit.NANOSECONDS.timedJoin(thread, PATIENCE.toNanos());
        if (thread.isAlive()) {
            return 1;
        }
        say();
        return 0;
    }

    private void work(LockClient.Handle lock, SharedSection section, long index) {
        try {
            while (!stopped) {
                begin();
                long token = lock.lock();
                granted();
                section.enter(index, token);
                TimeUnit.NANOSECONDS.sleep(HELD.toNanos());
                section.leave(index);
                lock.unlock();
                first.countDown();
            }
        } catch (Exception e) {
            e.printStackTrace(System.err);
            // The parent must not wait for a thread that has ended.
            Runtime.getRuntime().halt(1);
        }
    }

    private synchronized void begin() {
        waiting = true;
        waitsSince = System.nanoTime();
    }

    private synchronized void granted() {
        worst = Math.max(worst, System.nanoTime() - waitsSince);
        waiting = false;
        grants++;
    }

    /** A wait that began before counts whole when it ends: the bar is about waits, not about the window. */
    private synchronized void say() {
        long longest = waiting ? Math.max(worst, System.nanoTime() - waitsSince) : worst;
        System.out.println(GRANTS + grants);
        System.out.println(WORST + TimeUnit.NANOSECONDS.toMillis(longest));
        grants = 0;
        worst = 0;
    }
}
