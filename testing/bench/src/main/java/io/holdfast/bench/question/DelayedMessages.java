package io.holdfast.bench.question;

import io.holdfast.bench.library.LockLibrary;
import io.holdfast.bench.measure.Latencies;
import io.holdfast.bench.measure.LockClient;
import io.holdfast.bench.measure.Section;
import io.holdfast.bench.store.RunningStore;
import io.holdfast.bench.store.StoreUnderTest;
import io.holdfast.bench.workload.Measurement;
import io.holdfast.bench.workload.Run;
import io.holdfast.servers.ServerProcess;
import io.holdfast.servers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** How a lock bears a network that is late now and then. */
public final class DelayedMessages implements Question {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration LATE = Duration.ofMillis(20);
    private static final double SHARE = 0.01;

    @Override
    public String id() {
        return "delayed";
    }

    @Override
    public String text(StoreUnderTest store) {
        return "1 % of the messages, each way, are 20 ms late: an own name, then one name passed between two clients";
    }

    @Override
    public boolean suits(StoreUnderTest store) {
        return store.hasServers();
    }

    @Override
    public Measurement measure(Run run, StoreUnderTest store, LockLibrary library, RunningStore running)
            throws Exception {
        List<TcpProxy> proxies = new ArrayList<>();
        try {
            String url = running.url();
            for (ServerProcess server : running.servers()) {
                TcpProxy proxy = TcpProxy.to(server);
                proxies.add(proxy);
                url = url.replace(":" + server.port(), ":" + proxy.port());
            }
            try (LockClient one = library.open(url, TTL);
                    LockClient two = library.open(url, TTL)) {
                return measure(run, one, two, proxies);
            }
        } finally {
            proxies.forEach(TcpProxy::close);
        }
    }

    private static Measurement measure(Run run, LockClient one, LockClient two, List<TcpProxy> proxies)
            throws Exception {
        Duration warmUp = run.warmUp().dividedBy(2);
        new Passer(one, "own", new Baton(), 1).work(warmUp);
        Baton baton = new Baton();
        List<Passer> warm = List.of(new Passer(one, "passed", baton, 1), new Passer(two, "passed", baton, 2));
        together(warm, warmUp);
        long seed = 1;
        for (TcpProxy proxy : proxies) {
            proxy.requests().delaySome(LATE, SHARE, seed++);
            proxy.replies().delaySome(LATE, SHARE, seed++);
        }
        Duration half = run.measure().dividedBy(2);
        Passer own = new Passer(one, "own", new Baton(), 1);
        double ownSeconds = own.work(half);
        List<Passer> both = List.of(new Passer(one, "passed", baton, 1), new Passer(two, "passed", baton, 2));
        double bothSeconds = together(both, half);

        Latencies handOffs =
                Latencies.of(both.stream().map(passer -> passer.handOffs).toList());
        Measurement all = new Measurement(Map.of(), List.of()).with("own name pairs/s", own.waits.count() / ownSeconds);
        all = own.waits.describe("own name", all).with("hand-offs/s", handOffs.count() / bothSeconds);
        long passes = Stream.concat(warm.stream(), both.stream())
                .mapToInt(passer -> passer.waits.count())
                .sum();
        return handOffs.describe("hand-off", all).with(baton.section.violations(passes));
    }

    private static double together(List<Passer> passers, Duration time) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(passers.size());
        long start = System.nanoTime();
        try {
            List<Future<Double>> results = new ArrayList<>();
            for (Passer passer : passers) {
                results.add(pool.submit(() -> passer.work(time)));
            }
            for (Future<Double> result : results) {
                result.get();
            }
            return (System.nanoTime() - start) / 1e9;
        } finally {
            pool.shutdownNow();
        }
    }

    /** What the lock protects. */
    private static final class Baton {
        private final Section section = new Section();
        private volatile int last;

        /** Whether another client had it before. */
        boolean take(int who) {
            boolean passed = last != who;
            last = who;
            return passed;
        }
    }

    /** One thread that locks and unlocks, and knows how long each lock took. */
    private static final class Passer {
        private final LockClient.Handle lock;
        private final Baton baton;
        private final int who;
        private final Latencies waits = new Latencies();
        /** Those at whose end the lock came from the other: a client that takes it again at once passes nothing. */
        private final Latencies handOffs = new Latencies();

        Passer(LockClient client, String name, Baton baton, int who) {
            this.lock = client.handle(name);
            this.baton = baton;
            this.who = who;
        }

        /** At least once; the seconds it took. */
        double work(Duration time) throws Exception {
            long start = System.nanoTime();
            long end = start + time.toNanos();
            do {
                long before = System.nanoTime();
                long token = lock.lock();
                long waited = System.nanoTime() - before;
                try {
                    waits.add(waited);
                    baton.section.pass(who, token);
                    if (baton.take(who)) {
                        handOffs.add(waited);
                    }
                } finally {
                    lock.unlock();
                }
            } while (System.nanoTime() - end < 0);
            return (System.nanoTime() - start) / 1e9;
        }
    }
}
