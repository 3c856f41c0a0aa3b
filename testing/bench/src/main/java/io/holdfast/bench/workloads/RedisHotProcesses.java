package io.holdfast.bench.workloads;

import io.holdfast.bench.Bar;
import io.holdfast.bench.Contestant;
import io.holdfast.bench.Measurement;
import io.holdfast.bench.Run;
import io.holdfast.bench.Workload;
import io.holdfast.servers.RedisServer;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Four processes of four threads on one hot name in Redis. */
public final class RedisHotProcesses implements Workload {
    private static final int PROCESSES = 4;
    private static final int THREADS = 4;
    private static final String UNFAIRNESS = "max/min per process";

    /** For {@link java.util.ServiceLoader}. */
    public RedisHotProcesses() {}

    @Override
    public String id() {
        return "redis-hot-processes";
    }

    @Override
    public String question() {
        return PROCESSES + " processes of " + THREADS + " threads on one hot name in Redis, empty section";
    }

    @Override
    public List<Contestant> contestants() {
        return Arrays.stream(RedisPeers.values())
                .filter(peer -> peer != RedisPeers.RAW)
                .<Contestant>map(peer -> new RedisContestant(peer, RedisHotProcesses::measure))
                .toList();
    }

    @Override
    public String baseline() {
        return RedisPeers.REDISSON.title();
    }

    @Override
    public List<Bar> bars() {
        return List.of(
                Bar.ratio(RedisPeers.HOLDFAST.title(), Contention.RATE, Bar.Relation.AT_LEAST, 40),
                Bar.value(RedisPeers.HOLDFAST.title(), UNFAIRNESS, Bar.Relation.AT_MOST, 2));
    }

    private static Measurement measure(Run run, RedisPeers who, RedisServer server) throws Exception {
        List<Process> children = new ArrayList<>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                children.add(new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Child.class.getName(),
                                who.name(),
                                Integer.toString(server.port()))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start());
            }
            List<BufferedReader> outputs =
                    children.stream().map(Process::inputReader).toList();
            for (BufferedReader output : outputs) {
                line(output);
            }
            TimeUnit.NANOSECONDS.sleep(run.warmUp().toNanos());
            long[] before = counts(children, outputs);
            long start = System.nanoTime();
            TimeUnit.NANOSECONDS.sleep(run.measure().toNanos());
            long[] after = counts(children, outputs);
            long nanos = System.nanoTime() - start;
            Measurement all = Contention.measurement(before, after, nanos);
            return Measurement.of(
                            Contention.RATE, Objects.requireNonNull(all.values().get(Contention.RATE)))
                    .with(UNFAIRNESS, Objects.requireNonNull(all.values().get(Contention.UNFAIRNESS)));
        } finally {
            children.forEach(Process::destroyForcibly);
        }
    }

    /** Asks every process at once how often it had the lock so far. */
    private static long[] counts(List<Process> children, List<BufferedReader> outputs) throws Exception {
        for (Process child : children) {
            child.getOutputStream().write('\n');
            child.getOutputStream().flush();
        }
        long[] counts = new long[PROCESSES];
        for (int i = 0; i < PROCESSES; i++) {
            counts[i] = Long.parseLong(line(outputs.get(i)));
        }
        return counts;
    }

    private static String line(BufferedReader output) throws Exception {
        return Objects.requireNonNull(output.readLine(), "a process ended");
    }

    /** One of the processes: it locks and unlocks until it is killed, and says how often whenever it is asked. */
    static final class Child {
        private Child() {}

        /** {@code args}: who, port. */
        public static void main(String[] args) throws Exception {
            RedisPeer peer = RedisPeers.valueOf(args[0]).open(Integer.parseInt(args[1]));
            peer.once();
            AtomicLong count = new AtomicLong();
            CountDownLatch all = new CountDownLatch(THREADS);
            for (int i = 0; i < THREADS; i++) {
                RedisPeer.Handle lock = peer.handle("hot");
                Thread thread = new Thread(() -> work(lock, count, all));
                thread.setDaemon(true);
                thread.start();
            }
            all.await();
            System.out.println("ready");
            while (System.in.read() >= 0) {
                System.out.println(count.get());
            }
        }

        private static void work(RedisPeer.Handle lock, AtomicLong count, CountDownLatch all) {
            boolean counted = false;
            try {
                while (true) {
                    lock.lock();
                    count.incrementAndGet();
                    lock.unlock();
                    if (!counted) {
                        counted = true;
                        all.countDown();
                    }
                }
            } catch (Exception e) {
                throw new IllegalStateException("a contestant failed", e);
            }
        }
    }
}
