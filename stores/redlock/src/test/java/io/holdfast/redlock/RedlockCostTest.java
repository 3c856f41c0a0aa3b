package io.holdfast.redlock;

import static io.holdfast.tck.Ask.exclusive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.servers.RedisServer;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.tck.ContractClient;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a grant costs the nodes: alone, and when eight clients want it. */
@Tag("slow")
@SuppressWarnings("NullAway.Init") // JUnit starts the nodes before the first test
class RedlockCostTest {
    private static final System.Logger LOG = System.getLogger("io.holdfast.redlock");
    private static final String OPTIONS = "maxTtl=60s&ioTimeout=2s";
    private static final int CLIENTS = 8;
    private static final int TURNS = 5;

    private static Nodes nodes;

    @BeforeAll
    static void start() {
        nodes = Nodes.settled(Duration.ofSeconds(60));
    }

    @AfterAll
    static void stop() {
        nodes.close();
    }

    @Test
    void anUncontendedPairIsOneScriptCallPerNodeAndVerb() throws Exception {
        try (Clients clients = new Clients()) {
            ContractClient a = clients.attach(nodes.open(OPTIONS));
            pair(a, "warm"); // the scripts are loaded
            List<Long> before = settledCalls();
            List<Long> innerBefore = innerCalls();
            for (int i = 0; i < 10; i++) {
                pair(a, "job");
            }
            // The verbs end with the third answer; the last two nodes may still be at it.
            await().atMost(TestTime.patience()).untilAsserted(() -> {
                List<Long> after = calls();
                for (int i = 0; i < after.size(); i++) {
                    assertThat(after.get(i) - before.get(i)).isEqualTo(20);
                    // A vote is HMGET, SET and HSET, a release is MGET and DEL; neither asks for the time.
                    assertThat(innerCalls().get(i) - innerBefore.get(i)).isEqualTo(50);
                }
            });
        }
    }

    @Test
    void eightClientsInALoopOnOneNameAllFinish() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        List<Long> tokens = new ArrayList<>(); // written by the holder only
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try (Clients clients = new Clients()) {
            List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                ContractClient client = clients.attach(nodes.open(OPTIONS));
                ends.add(threads.submit(() -> {
                    for (int turn = 0; turn < TURNS; turn++) {
                        Claim claim = exclusive("hot").claim();
                        tokens.add(pull(client, claim, tries).token());
                        client.released(claim);
                    }
                    return null;
                }));
            }
            for (Future<?> end : ends) {
                end.get(4 * TestTime.patience().toSeconds(), TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        LOG.log(
                System.Logger.Level.INFO,
                "tries per grant, 8 clients on one name: " + (double) tries.get() / (CLIENTS * TURNS));
        assertThat(tokens).hasSize(CLIENTS * TURNS).isSorted().doesNotHaveDuplicates();
    }

    private static Granted pull(ContractClient client, Claim claim, AtomicInteger tries) throws InterruptedException {
        while (true) {
            tries.incrementAndGet();
            if (client.tryAcquire(claim) instanceof Granted grant) {
                return grant;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(
                    15 + ThreadLocalRandom.current().nextLong(15)));
        }
    }

    private static void pair(ContractClient client, String name) throws InterruptedException {
        Claim claim = exclusive(name).claim();
        client.granted(claim);
        client.released(claim);
    }

    /** What the nodes have counted when all of them are through with what they were sent: the same at two looks. */
    private static List<Long> settledCalls() {
        AtomicReference<List<Long>> seen = new AtomicReference<>(List.of());
        await().pollInterval(Duration.ofMillis(200)).atMost(TestTime.patience()).until(() -> {
            List<Long> now = calls();
            return now.equals(seen.getAndSet(now));
        });
        return Objects.requireNonNull(seen.get());
    }

    private static List<Long> innerCalls() {
        return nodes.all().stream()
                .map((RedisServer node) -> Stream.of(
                                "hmget", "hget", "hset", "set", "get", "mget", "del", "time", "pttl")
                        .mapToLong(node::calls)
                        .sum())
                .toList();
    }

    private static List<Long> calls() {
        return nodes.all().stream()
                .map((RedisServer node) -> node.calls("evalsha") + node.calls("eval"))
                .toList();
    }
}
