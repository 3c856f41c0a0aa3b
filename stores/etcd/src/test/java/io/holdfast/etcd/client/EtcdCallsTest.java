package io.holdfast.etcd.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.Txn;
import io.holdfast.StoreUnavailableException;
import io.holdfast.tck.TestTime;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Deadlines of calls, with a server that never answers. */
@Tag("quick")
class EtcdCallsTest {
    private static final Duration PATIENCE = TestTime.scaled(Duration.ofSeconds(30));

    private final AtomicInteger sent = new AtomicInteger();
    private final EtcdCalls calls = new EtcdCalls(silentClient(), false, "etcd:", Duration.ofSeconds(2));

    @Test
    void aCallThatIsNotAnsweredInTimeFailsWithAnUnknownOutcome() {
        CompletableFuture<?> call = calls.txn(List.of(), List.of(), Deadline.after(TimeUnit.MILLISECONDS.toNanos(1)));

        assertFails(call, true, "did not answer in time");
    }

    @Test
    void closingFailsTheCallsUnderWayWithAnUnknownOutcomeAndLaterCallsWithAKnownOne() {
        CompletableFuture<?> call = calls.txn(List.of(), List.of(), Deadline.after(PATIENCE.toNanos() * 2));
        calls.close();

        assertFails(call, true, "was closed");
        assertFails(calls.txn(List.of(), List.of(), calls.deadline()), false, "is closed");
    }

    @Test
    void aTransactionThatWaitsBehindUnansweredCallsIsSentByTheSweep() {
        Deadline late = Deadline.after(PATIENCE.toNanos() * 2);
        for (int i = 0; i < 3; i++) {
            calls.txn("lock-" + i, List.of(), List.of(), late);
        }

        await("all are sent").atMost(PATIENCE).until(() -> sent.get() == 3);
        calls.close();
    }

    private static void assertFails(CompletableFuture<?> call, boolean outcomeUnknown, String words) {
        assertThatThrownBy(() -> call.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        failure -> assertThat(failure.outcomeUnknown()).isEqualTo(outcomeUnknown))
                .hasMessageContaining(words);
    }

    private Client silentClient() {
        Txn txn = fake(Txn.class, (self, method, args) -> {
            if (!method.getName().equals("commit")) {
                return self;
            }
            sent.incrementAndGet();
            return new CompletableFuture<>();
        });
        KV kv = fake(KV.class, (self, method, args) -> txn);
        return fake(Client.class, (self, method, args) -> method.getName().equals("getKVClient") ? kv : null);
    }

    private static <T> T fake(Class<T> type, InvocationHandler calls) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
    }
}
