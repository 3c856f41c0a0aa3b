package io.holdfast.redis;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.claim.LockKeys;
import io.holdfast.servers.RedisServer;
import io.holdfast.spi.support.NameBuckets;
import io.holdfast.tck.TestTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the server is asked to do, counted by the server itself. */
@Tag("slow")
class CommandCountTest {
    private static final Duration PATIENCE = TestTime.scaled(Duration.ofSeconds(60));

    private final RedisServer server = RedisServer.open();
    private final List<Holdfast> clients = new ArrayList<>();

    @BeforeEach
    void warm() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            client().mutex("warm").acquire().close();
        }
    }

    @AfterEach
    void stop() {
        clients.forEach(Holdfast::close);
        server.close();
    }

    @Test
    void anUncontendedPairTakesAtMostEightCommandsTheScriptsOwnIncluded() throws InterruptedException {
        DistributedLock lock = clients.get(0).mutex("own");
        lock.acquire().close();
        server.resetStats();

        for (int i = 0; i < 200; i++) {
            lock.acquire().close();
        }

        assertThat(commands()).isBetween(200L * 2, 200L * 8);
        assertThat(keys()).allMatch(key -> key.endsWith(":f"));
    }

    /** U24. */
    @Test
    void aThousandTokensAreAThousandStrings() throws InterruptedException {
        Set<String> tokens = new HashSet<>();
        String key = new LockKeys("").lock("own")[0];
        DistributedLock lock = clients.get(0).mutex("own");
        for (int i = 0; i < 1000; i++) {
            try (Lease lease = lock.acquire()) {
                String record = String.valueOf(server.call("GET", key));
                assertThat(record).contains(" " + lease.token() + " ");
                tokens.add(record.split(" ")[3]);
            }
        }
        assertThat(tokens).hasSize(1000);
    }

    /** U24. */
    @Test
    void tokensEndBeforeTheyCannotBeToldApart() {
        String fence = new LockKeys("").lock("old")[1];
        server.call("SET", fence, "9007199254740991 0 ");

        assertThatThrownBy(() -> clients.get(0).mutex("old").acquire(waitUpTo(Duration.ofMillis(300))))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("2^53");
        assertThat(keys()).noneMatch(key -> key.endsWith(":l:old"));
    }

    /** L3, L4: no herd, and one slow poll for all waiters. */
    @Test
    void twoHundredWaitersOfOneClientAskOnceASecondAndAHandOffTakesAtMostFourCalls() throws Exception {
        Holdfast other = clients.get(1);
        Lease held = other.mutex("hot").acquire();
        BlockingQueue<Lease> entered = new LinkedBlockingQueue<>();
        for (int i = 0; i < 200; i++) {
            clients.get(0)
                    .mutex("hot")
                    .acquireAsync(waitUpTo(Duration.ofMinutes(2)).handoffs(0))
                    .thenAccept(entered::add);
        }
        await().atMost(PATIENCE).until(() -> server.calls("subscribe") == 1);
        server.resetStats();
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(10)).until(() -> evals() >= 1);
        long start = System.nanoTime();
        // This thread may have been late: count from what the server has been asked by now.
        long before = evals();
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(10)).until(() -> evals() >= before + 3);
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .as("three more calls while waiting")
                .isGreaterThan(Duration.ofMillis(1900));

        server.resetStats();
        held.close();
        for (int i = 0; i < 200; i++) {
            Lease next = entered.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(next).as("waiter %s", i).isNotNull();
            next.close();
        }

        assertThat(evals()).as("calls for 200 hand-offs").isBetween(200L, 200L * 4);
        assertThat(server.calls("publish")).isLessThanOrEqualTo(200);
        await().atMost(PATIENCE).until(() -> keys().stream().allMatch(key -> key.endsWith(":f")));
    }

    @Test
    void aSoleWaiterNeedsNoQueueAndFromItsSecondHandOffOnIsToldBeforeTheReleaser() throws Exception {
        Holdfast b = clients.get(1);
        DistributedLock there = clients.get(0).mutex("pair");
        for (int handOff = 1; handOff <= 3; handOff++) {
            Lease held = there.acquire();
            CompletableFuture<Lease> waiting = b.mutex("pair").acquireAsync(waitUpTo(PATIENCE));
            await().atMost(PATIENCE)
                    .until(() -> b.inspect("pair").orElseThrow().waiting() == 1 && server.calls("subscribe") == 1);
            long pings = server.calls("ping");
            held.close();
            waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
            assertThat(server.calls("ping") - pings)
                    .as("before hand-off %s", handOff)
                    .isEqualTo(handOff == 1 ? 0 : 1);
            assertThat(server.calls("publish")).isEqualTo(handOff);
        }

        assertThat(server.calls("rpush") + server.calls("lpop") + server.calls("hset") + server.calls("hdel"))
                .as("commands on a queue")
                .isZero();
    }

    /** L6: at most 500 leases in a batch. */
    @Test
    void fiveThousandLeasesAreRenewedInAtMostTenCallsASecondAndLeaveNothing() throws Exception {
        Holdfast client = clients.get(0);
        List<Lease> leases = new ArrayList<>();
        Semaphore underWay = new Semaphore(200);
        for (int i = 0; i < 5000; i++) {
            underWay.acquire();
            client.mutex("lease-" + i)
                    .acquireAsync(waitUpTo(Duration.ofMinutes(1)).ttl(Duration.ofSeconds(30)))
                    .whenComplete((lease, failure) -> {
                        synchronized (leases) {
                            leases.add(lease);
                        }
                        underWay.release();
                    });
        }
        underWay.acquire(200);
        assertThat(leases).hasSize(5000).doesNotContainNull();
        server.resetStats();
        long start = System.nanoTime();

        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(200)).until(() -> server.calls("set") >= 5000);

        double seconds = (System.nanoTime() - start) / 1e9;
        assertThat(evals() / seconds).as("calls per second for renewal").isLessThanOrEqualTo(10);
        assertThat(evals()).as("calls for a round of renewals").isLessThan(100);
        assertThat(leases).allMatch(lease -> lease.state() == LeaseState.HELD);
        List<CompletableFuture<?>> releases = new ArrayList<>();
        leases.forEach(lease -> releases.add(lease.releaseAsync()));
        CompletableFuture.allOf(releases.toArray(CompletableFuture[]::new)).join();
        // A release that was repeated on a busy machine leaves a tombstone for ten seconds.
        await().atMost(PATIENCE).until(() -> keys().stream().allMatch(key -> key.endsWith(":f")));
    }

    /** 100,000 names, or as many as the system property {@code holdfast.names} says. */
    @Test
    void namesThatWereLockedAndReleasedLeaveAConstantNumberOfKeys() throws Exception {
        int names = Integer.getInteger("holdfast.names", 100_000);
        Holdfast client = clients.get(0);
        Semaphore underWay = new Semaphore(500);
        LockOptions options = waitUpTo(Duration.ofSeconds(30));
        List<Throwable> failures = new ArrayList<>();
        for (int i = 0; i < names; i++) {
            underWay.acquire();
            client.mutex("name-" + i)
                    .acquireAsync(options)
                    .thenCompose(Lease::releaseAsync)
                    .whenComplete((done, failure) -> {
                        if (failure != null) {
                            synchronized (failures) {
                                failures.add(failure);
                            }
                        }
                        underWay.release();
                    });
        }
        underWay.acquire(500);

        synchronized (failures) {
            assertThat(failures).isEmpty();
        }
        assertThat(Long.parseLong(String.valueOf(server.call("DBSIZE")))).isLessThanOrEqualTo(NameBuckets.COUNT);
        assertThat(keys()).allMatch(key -> key.endsWith(":f"));
    }

    private Holdfast client() {
        Holdfast client = Holdfast.open(server.url());
        clients.add(client);
        return client;
    }

    private long evals() {
        return server.calls("evalsha") + server.calls("eval");
    }

    private long commands() {
        long sum = 0;
        for (Map.Entry<String, String> command : server.info("commandstats").entrySet()) {
            if (!command.getKey().startsWith("cmdstat_config")
                    && !command.getKey().equals("cmdstat_info")) {
                String calls = command.getValue();
                sum += Long.parseLong(calls.substring("calls=".length(), calls.indexOf(',')));
            }
        }
        return sum;
    }

    private List<String> keys() {
        Object reply = server.call("KEYS", "*");
        return ((List<?>) java.util.Objects.requireNonNull(reply))
                .stream().map(String::valueOf).toList();
    }
}
