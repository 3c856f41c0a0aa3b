package io.holdfast.tck.engine;

import static io.holdfast.LockOptions.waitUpTo;

import io.holdfast.Lease;
import io.holdfast.Ticker;
import io.holdfast.tck.ConcurrentThreads;
import io.holdfast.tck.engine.world.EngineClient;
import io.holdfast.tck.engine.world.EngineWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Clients that each acquire one lock, hold it for 50 ms, release it and ask again at once, for five seconds.
 *
 * @param counts the turns of each client
 * @param longestWait the longest wait of one turn
 * @param longestGap the longest time between two looks at the clock of a thread that does nothing else: how long the
 *     machine did not run this process
 */
record TurnsTaken(List<Long> counts, Duration longestWait, Duration longestGap) {
    private static final Duration SECTION = Duration.ofMillis(50);
    private static final Duration LENGTH = Duration.ofSeconds(5);

    static TurnsTaken of(EngineWorld world, List<EngineClient> clients, String name) throws Exception {
        Ticker ticker = world.fixture().time().ticker();
        List<AtomicLong> counts = new ArrayList<>();
        clients.forEach(client -> counts.add(new AtomicLong()));
        AtomicLong longestWait = new AtomicLong();
        AtomicLong longestGap = new AtomicLong();
        AtomicBoolean over = new AtomicBoolean();
        Thread heart = new Thread(() -> beat(ticker, longestGap, over), "tck-heart");
        heart.setDaemon(true);
        heart.start();
        long end = ticker.nanos() + LENGTH.toNanos();
        try {
            world.whileTimeMoves(() -> ConcurrentThreads.run(clients.size(), number -> {
                long asked = ticker.nanos();
                while (asked - end < 0) {
                    try (Lease lease = clients.get(number).mutex(name).acquire(waitUpTo(Duration.ofMinutes(5)))) {
                        long waited = ticker.nanos() - asked;
                        longestWait.accumulateAndGet(waited, Math::max);
                        counts.get(number).incrementAndGet();
                        CountDownLatch left = new CountDownLatch(1);
                        world.fixture().time().scheduler().schedule(left::countDown, SECTION.toNanos());
                        left.await();
                        lease.ensureValid();
                    }
                    asked = ticker.nanos();
                }
            }));
        } finally {
            over.set(true);
            heart.join();
        }
        return new TurnsTaken(
                counts.stream().map(AtomicLong::get).toList(),
                Duration.ofNanos(longestWait.get()),
                Duration.ofNanos(longestGap.get()));
    }

    private static void beat(Ticker ticker, AtomicLong longestGap, AtomicBoolean over) {
        long last = ticker.nanos();
        while (!over.get()) {
            LockSupport.parkNanos(1_000_000);
            long now = ticker.nanos();
            longestGap.accumulateAndGet(now - last, Math::max);
            last = now;
        }
    }
}
