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
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients that each acquire one lock, hold it for {@link #SECTION}, release it and ask again at once, for five seconds.
 *
 * @param counts the turns of each client
 * @param mostOvertakes the most turns of other clients during one wait: waits are counted in turns, because a turn takes
 *     longer on a busy machine
 */
record TurnsTaken(List<Long> counts, long mostOvertakes) {
    /** How long a client holds the lock in its turn. */
    static final Duration SECTION = Duration.ofMillis(50);

    private static final Duration LENGTH = Duration.ofSeconds(5);

    static TurnsTaken of(EngineWorld world, List<EngineClient> clients, String name) throws Exception {
        Ticker ticker = world.fixture().time().ticker();
        List<AtomicLong> counts = new ArrayList<>();
        clients.forEach(client -> counts.add(new AtomicLong()));
        AtomicLong turns = new AtomicLong();
        AtomicLong mostOvertakes = new AtomicLong();
        long end = ticker.nanos() + LENGTH.toNanos();
        world.whileTimeMoves(() -> ConcurrentThreads.run(clients.size(), number -> {
            while (ticker.nanos() - end < 0) {
                long before = turns.get();
                try (Lease lease = clients.get(number).mutex(name).acquire(waitUpTo(Duration.ofMinutes(5)))) {
                    mostOvertakes.accumulateAndGet(turns.getAndIncrement() - before, Math::max);
                    counts.get(number).incrementAndGet();
                    CountDownLatch left = new CountDownLatch(1);
                    world.fixture().time().scheduler().schedule(left::countDown, SECTION.toNanos());
                    left.await();
                    lease.ensureValid();
                }
            }
        }));
        return new TurnsTaken(counts.stream().map(AtomicLong::get).toList(), mostOvertakes.get());
    }
}
