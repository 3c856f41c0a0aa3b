package io.holdfast.etcd;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.etcd.client.EtcdCalls;
import io.holdfast.etcd.client.Failures;
import io.holdfast.etcd.client.TxnAnswer;
import io.holdfast.servers.EtcdServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Granted;
import io.holdfast.tck.Ask;
import io.holdfast.tck.ContractClient;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Transactions of many threads that are sent as one, on a real server. */
class EtcdBatchedTxnsTest {
    private static final int THREADS = 24;

    private static EtcdServer server;
    private final Kit kit = new Kit();
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    @BeforeAll
    static void start() {
        server = EtcdServer.open();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void closeAll() throws Exception {
        threads.shutdownNow();
        kit.close();
    }

    @Test
    @DisplayName("locks of many threads are taken in one transaction: its revision is the token of each")
    void manyLocksAreTakenInOneTransaction() throws Exception {
        Holdfast holdfast = kit.opening(Holdfast.open(url("together")));
        Client operator = kit.operator(server);

        Kit.eventually("two names have the same token").until(() -> {
            List<Lease> leases = all(i -> () -> holdfast.mutex("own-" + i).acquire(waitUpTo(Kit.PATIENCE)));
            Set<Long> tokens = new HashSet<>();
            leases.forEach(lease -> tokens.add(lease.token()));
            all(i -> () -> {
                leases.get(i).close();
                return true;
            });
            assertThat(Kit.keys(operator, "together/holdfast/queue/")).isEmpty();
            return tokens.size() < THREADS;
        });
    }

    @Test
    @DisplayName("claims for one lock are never in one transaction: two of them would have the same token")
    void claimsOfOneLockHaveTokensOfTheirOwn() throws Exception {
        ContractClient a = kit.store(url("one"));
        a.granted(Ask.shared("other"));
        List<CompletionStage<AcquireResult>> asked = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            asked.add(a.store().tryAcquire(Ask.shared("job").claim()));
            asked.add(a.store().tryAcquire(Ask.shared("job-" + i).claim()));
        }
        Set<Long> tokensOfOne = new HashSet<>();
        Set<Long> tokensOfMany = new HashSet<>();
        for (int i = 0; i < THREADS; i++) {
            tokensOfOne.add(((Granted) ContractClient.answer(asked.get(2 * i))).token());
            tokensOfMany.add(((Granted) ContractClient.answer(asked.get(2 * i + 1))).token());
        }

        assertThat(tokensOfOne).hasSize(THREADS);
        assertThat(tokensOfMany)
                .as("claims for other locks shared transactions")
                .hasSizeLessThan(THREADS);
    }

    @Test
    @DisplayName("a continuation that blocks does not block the thread that reads answers")
    void aContinuationMayBlock() throws Exception {
        Holdfast holdfast = kit.opening(Holdfast.open(url("blocking")));

        String done = holdfast.mutex("outer")
                .acquireAsync(waitUpTo(Kit.PATIENCE))
                .thenApply(outer -> {
                    try (outer;
                            Lease inner = holdfast.mutex("inner").tryAcquire().orElseThrow()) {
                        return outer.lockName() + " and " + inner.lockName();
                    }
                })
                .get(Kit.PATIENCE.toSeconds(), TimeUnit.SECONDS);

        assertThat(done).isEqualTo("outer and inner");
    }

    @Test
    @DisplayName("a shared transaction that etcd refuses because of one of its parts is sent part by part")
    void onlyThePartThatEtcdRefusesFails() throws Exception {
        EtcdCalls calls = new EtcdCalls(kit.operator(server), false, "etcd:", Kit.PATIENCE);
        kit.opening(calls);
        List<CompletableFuture<TxnAnswer>> asked = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            // The first two are sent alone and the others together; one of those names an etcd lease that does not
            // exist.
            asked.add(put(calls, "part-" + i, i == THREADS / 2 ? 4711 : 0));
        }

        CompletableFuture<TxnAnswer> refused = asked.remove(THREADS / 2);
        assertThatThrownBy(() -> refused.get(Kit.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .satisfies(failure -> assertThat(Failures.leaseGone(failure)).isTrue());
        for (CompletableFuture<TxnAnswer> answer : asked) {
            assertThat(answer.get(Kit.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                            .txn()
                            .isSucceeded())
                    .isTrue();
        }
    }

    private static CompletableFuture<TxnAnswer> put(EtcdCalls calls, String key, long leaseId) {
        ByteSequence bytes = ByteSequence.from(key, StandardCharsets.UTF_8);
        Op put = Op.put(bytes, bytes, PutOption.builder().withLeaseId(leaseId).build());
        return calls.txn(key, List.of(), List.of(put), calls.deadline());
    }

    @Test
    @DisplayName("U4: an etcd lease that an operator revokes fails no later request")
    void anEtcdLeaseThatIsGoneFailsNoLaterRequest() throws Exception {
        Holdfast holdfast = kit.opening(Holdfast.open(url("revoked")));
        Client operator = kit.operator(server);

        for (int round = 0; round < 5; round++) {
            holdfast.mutex("first").acquire(waitUpTo(Kit.PATIENCE)).close();
            Lease held = holdfast.mutex("held").acquire(waitUpTo(Kit.PATIENCE));
            long leaseId =
                    Kit.keys(operator, "revoked/holdfast/queue/held").get(0).getLease();
            operator.getLeaseClient().revoke(leaseId).get(10, TimeUnit.SECONDS);

            List<Lease> leases = all(i -> () -> holdfast.mutex("own-" + i).acquire(waitUpTo(Kit.PATIENCE)));

            leases.forEach(Lease::close);
            held.close();
        }
        Kit.eventually("nothing is left")
                .until(() -> Kit.keys(operator, "revoked/holdfast/queue/").isEmpty());
    }

    @Test
    @DisplayName("L2: if requests or answers are lost, every thread gets its failure in time and no key stays")
    void lostMessagesFailEveryThreadAndLeaveNoKey() throws Exception {
        TcpProxy proxy = kit.opening(TcpProxy.to(server));
        Holdfast holdfast =
                kit.opening(Holdfast.open("etcd://127.0.0.1:" + proxy.port() + "?namespace=lost&ioTimeout=400ms"));
        Client operator = kit.operator(server);
        holdfast.mutex("first").acquire(waitUpTo(Kit.PATIENCE)).close();
        for (boolean reply : new boolean[] {true, false}) {
            if (reply) {
                proxy.replies().drop();
            } else {
                proxy.requests().drop();
            }
            List<Boolean> refused = all(i -> () -> {
                try {
                    holdfast.mutex("own-" + i).tryAcquire().ifPresent(Lease::close);
                    return false;
                } catch (HoldfastException expected) {
                    return true;
                }
            });
            proxy.restore();

            assertThat(refused).doesNotContain(false);
            Kit.eventually("nothing is left")
                    .until(() -> Kit.keys(operator, "lost/holdfast/queue/").isEmpty());
            Kit.eventually("every thread locks again").until(() -> {
                all(i -> () -> holdfast.mutex("own-" + i).acquire(waitUpTo(Kit.PATIENCE)))
                        .forEach(Lease::close);
                return true;
            });
        }
    }

    /** Runs the tasks on all threads at the same time; returns their results. */
    private <T> List<T> all(IntFunction<Callable<T>> task) throws Exception {
        CountDownLatch ready = new CountDownLatch(THREADS);
        List<Future<T>> futures = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Callable<T> own = task.apply(i);
            futures.add(threads.submit(() -> {
                ready.countDown();
                ready.await();
                return own.call();
            }));
        }
        List<T> results = new ArrayList<>();
        for (Future<T> future : futures) {
            results.add(future.get(Kit.PATIENCE.toSeconds(), TimeUnit.SECONDS));
        }
        return results;
    }

    private static String url(String namespace) {
        return "etcd://" + server.address() + "?namespace=" + namespace;
    }
}
