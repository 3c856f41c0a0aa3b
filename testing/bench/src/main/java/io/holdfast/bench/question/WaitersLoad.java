package io.holdfast.bench.question;

import io.holdfast.bench.library.LockLibrary;
import io.holdfast.bench.measure.LockClient;
import io.holdfast.bench.measure.ManyThreads;
import io.holdfast.bench.measure.Section;
import io.holdfast.bench.store.RunningStore;
import io.holdfast.bench.store.StoreLoad;
import io.holdfast.bench.store.StoreUnderTest;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** What waiting threads cost the store, and what it costs to pass the lock through all of them. */
public final class WaitersLoad implements Question {
    public static final String ID = "waiters";
    private static final String MICROS = "µs per pass";
    private static final Duration TTL = Duration.ofSeconds(30);

    /** The metric of a counter while all wait. */
    public static String waiting(String counter) {
        return "waiting " + counter + "/s";
    }

    /** The metric of a counter for each waiter that got it. */
    public static String perPass(String counter) {
        return counter + " per pass";
    }

    @Override
    public String id() {
        return ID;
    }

    @Override
    public String text(StoreUnderTest store) {
        return "200 threads of one client wait for a name that another client holds: the load of waiting, and of the 200"
                + " passes after its release";
    }

    @Override
    public List<LockLibrary> libraries(StoreUnderTest store) {
        return store.countedLibraries();
    }

    @Override
    public Measurement measure(Run run, StoreUnderTest store, LockLibrary library, RunningStore running)
            throws Exception {
        int count = run.quick() ? 20 : 200;
        try (LockClient holder = library.open(running.url(), TTL);
                LockClient waiting = library.open(running.url(), TTL)) {
            LockClient.Handle held = holder.handle("held");
            Section section = new Section();
            section.enter(1, held.lock());
            Waiters waiters = new Waiters(waiting, section, count);
            waiters.start();
            TimeUnit.NANOSECONDS.sleep(run.warmUp().toNanos());

            StoreLoad before = StoreLoad.now(running);
            TimeUnit.NANOSECONDS.sleep(run.measure().toNanos());
            StoreLoad after = StoreLoad.now(running);
            section.leave(1);
            held.unlock();
            waiters.join();
            StoreLoad passed = StoreLoad.now(running);

            Measurement none = new Measurement(Map.of(), List.of());
            Measurement all = after.countsSince(before, after.secondsSince(before), WaitersLoad::waiting, none);
            all = after.busySince(before, running, all);
            all = passed.countsSince(after, count, WaitersLoad::perPass, all);
            return all.with(MICROS, passed.secondsSince(after) * 1e6 / count)
                    .with(section.violations(waiters.passes() + 1));
        }
    }

    /** The threads, each of which passes the section once. */
    private static final class Waiters {
        private final List<Thread> threads = new ArrayList<>();
        private final AtomicLong passes = new AtomicLong();

        Waiters(LockClient client, Section section, int count) {
            for (int i = 0; i < count; i++) {
                int who = i + 2;
                LockClient.Handle lock = client.handle("held");
                Thread thread = new Thread(() -> wait(lock, section, who), "waiter-" + i);
                thread.setDaemon(true);
                threads.add(thread);
            }
        }

        void start() throws InterruptedException {
            threads.forEach(Thread::start);
            ManyThreads.awaitWaiting(threads);
        }

        void join() throws InterruptedException {
            for (Thread thread : threads) {
                thread.join();
            }
            if (passes.get() != threads.size()) {
                throw new IllegalStateException(threads.size() - passes.get() + " waiters failed");
            }
        }

        long passes() {
            return passes.get();
        }

        private void wait(LockClient.Handle lock, Section section, int who) {
            try {
                long token = lock.lock();
                try {
                    section.pass(who, token);
                } finally {
                    lock.unlock();
                }
                passes.incrementAndGet();
            } catch (Exception e) {
                e.printStackTrace(System.err);
            }
        }
    }
}
