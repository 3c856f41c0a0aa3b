package io.holdfast.tck.store;

import static io.holdfast.tck.Ask.exclusive;
import static io.holdfast.tck.Ask.permit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Mode;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.tck.Clause;
import io.holdfast.tck.ConcurrentThreads;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.TestTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** S2 and S3 with many threads at once. */
interface ConcurrencyClauses extends StoreClauses {
    /** Threads of the crowd. */
    int THREADS = 8;

    /** Acquisitions of each. */
    int TURNS = 25;

    @Test
    @Clause("S2, S3")
    default void eightThreadsIncrementACounterOneAtATimeUnderRisingTokens() throws Exception {
        ContractClient[] clients = {world().client("a"), world().client("b")};
        int[] counter = new int[1];
        List<Long> tokens = new ArrayList<>();
        ConcurrentThreads.run(THREADS, number -> {
            ContractClient client = clients[number % 2];
            for (int turn = 0; turn < TURNS; turn++) {
                Claim claim = exclusive("counter").by("thread-" + number).claim();
                Granted grant = spin(client, claim);
                int seen = counter[0];
                tokens.add(grant.token());
                LockSupport.parkNanos(50_000);
                counter[0] = seen + 1;
                client.released(claim);
            }
        });

        assertThat(counter[0]).isEqualTo(THREADS * TURNS);
        assertThat(tokens).hasSize(THREADS * TURNS).isSorted().doesNotHaveDuplicates();
        clients[0].nothingLeft("counter");
    }

    @Test
    @Clause("S2")
    default void eightThreadsNeverHoldMoreThanThreePermits() throws Exception {
        ContractClient client = world().client("a");
        assumeTrue(client.store().info().modes().contains(Mode.PERMIT), "the store does not offer permits");
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        ConcurrentThreads.run(THREADS, number -> {
            for (int turn = 0; turn < TURNS; turn++) {
                Claim claim = permit("pool", 3).by("thread-" + number).claim();
                spin(client, claim);
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                LockSupport.parkNanos(50_000);
                inside.decrementAndGet();
                client.released(claim);
            }
        });

        assertThat(most.get()).isBetween(1, 3);
        client.nothingLeft("pool");
    }

    private static Granted spin(ContractClient client, Claim claim) throws InterruptedException {
        long giveUp = System.nanoTime() + TestTime.patience().multipliedBy(4).toNanos();
        while (System.nanoTime() - giveUp < 0) {
            if (client.tryAcquire(claim) instanceof Granted grant) {
                return grant;
            }
            LockSupport.parkNanos(200_000);
        }
        throw new AssertionError("lock '" + claim.lockName() + "' was never granted to " + claim.label());
    }
}
