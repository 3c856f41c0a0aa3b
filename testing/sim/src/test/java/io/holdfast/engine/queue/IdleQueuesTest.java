package io.holdfast.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.engine.client.HoldfastClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

/** Queues that are not in use stay for a while, but not more of them than there are slots. */
class IdleQueuesTest {
    private static final int THREADS = 6;
    private static final int NAMES = 9;
    private static final int ROUNDS = 4_000;

    @Test
    void theQueueOfALockThatIsTakenAgainIsTheSame() throws Exception {
        try (Holdfast client = Holdfast.open("memory:")) {
            client.mutex("job").acquire().close();
            QueueRunner first = queue(client, "job");

            client.mutex("job").acquire().close();

            assertThat(queue(client, "job")).isSameAs(first);
            assertThat(queues(client).busyNames()).isEmpty();
        }
    }

    @Test
    void memoryDoesNotGrowWithTheNamesEverLocked() throws Exception {
        try (Holdfast client = Holdfast.open("memory:")) {
            for (int i = 0; i < 2_000; i++) {
                client.mutex("name " + i).acquire().close();
            }

            assertThat(queues(client).size()).isBetween(1, IdleQueues.SLOTS);
        }
    }

    @Test
    void aHeldQueueIsNeverPushedOut() throws Exception {
        try (Holdfast client = Holdfast.open("memory:")) {
            try (Lease held = client.mutex("Aa").acquire()) {
                QueueRunner queue = queue(client, "Aa");
                client.mutex("BB").acquire().close();

                assertThat(queue(client, "Aa")).isSameAs(queue);
                assertThat(held.remaining()).isPositive();
            }
        }
    }

    /** The names have one hash, so that each pushes the others out of their slot all the time. */
    @Test
    void namesThatShareASlotExcludeAndLeaveOneQueue() throws Exception {
        List<String> names = sameHash();
        AtomicIntegerArray inside = new AtomicIntegerArray(NAMES);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (Holdfast client = Holdfast.open("memory:")) {
            List<Future<Integer>> all = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int seed = i;
                Callable<Integer> work = () -> {
                    int broken = 0;
                    for (int round = 0; round < ROUNDS; round++) {
                        int name = (round * 7 + seed * 3 + round / 5) % NAMES;
                        try (Lease lease = client.mutex(names.get(name)).acquire()) {
                            broken += inside.incrementAndGet(name) == 1 && lease.token() > 0 ? 0 : 1;
                            inside.decrementAndGet(name);
                        }
                    }
                    return broken;
                };
                all.add(threads.submit(work));
            }
            int broken = 0;
            for (Future<Integer> each : all) {
                broken += each.get();
            }

            assertThat(broken).as("sections with two holders").isZero();
            assertThat(queues(client).busyNames()).isEmpty();
            assertThat(queues(client).size()).as("queues of one slot").isLessThanOrEqualTo(1);
        } finally {
            threads.shutdownNow();
        }
    }

    private static List<String> sameHash() {
        List<String> names = new ArrayList<>(List.of(""));
        while (names.size() < NAMES) {
            List<String> longer = new ArrayList<>();
            for (String each : names) {
                longer.add(each + "Aa");
                longer.add(each + "BB");
            }
            names = longer;
        }
        return names;
    }

    private static QueueRunner queue(Holdfast client, String name) {
        return Objects.requireNonNull(queues(client).get(name));
    }

    private static Queues queues(Holdfast client) {
        return ((HoldfastClient) client).queues();
    }
}
