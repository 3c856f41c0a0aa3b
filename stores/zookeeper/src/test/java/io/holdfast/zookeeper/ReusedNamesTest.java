package io.holdfast.zookeeper;

import static io.holdfast.LockOptions.waitUpTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Names that one client uses again and again, with and without other clients: on a real server. */
class ReusedNamesTest extends OnSharedServer {
    private static final LockOptions PATIENT = waitUpTo(PATIENCE);
    private static final int TURNS = 6;

    /** Whatever is below the name counts: here a lock-delay that a holder left behind. */
    @Test
    void aLockDelayWithoutItsHolderIsNoEmptyLine() throws Exception {
        Holdfast a = client();
        Holdfast b = client();
        turns(b, TURNS);
        Lease lost = a.mutex("job").acquire(PATIENT.lockDelay(Duration.ofMinutes(10)));
        raw.zk.delete(
                raw.nodes(root).stream()
                        .filter(node -> node.contains("/x-"))
                        .findFirst()
                        .orElseThrow(),
                -1);

        assertThat(b.mutex("job").tryAcquire()).isEmpty();

        lost.close();
        b.mutex("job").acquire(PATIENT).close();
    }

    @Test
    void anotherClientThatCameBeforeIsWaitedForAndOneThatComesLaterWaits() throws Exception {
        Holdfast a = client();
        Holdfast b = client();
        turns(a, TURNS);
        Lease stranger = b.mutex("job").acquire(PATIENT);

        CompletableFuture<Lease> waiting = a.mutex("job").acquireAsync(PATIENT);
        await("a waits").until(() -> b.inspect("job").orElseThrow().waiting() == 1);
        assertThat(waiting).isNotDone();
        stranger.close();
        Lease lease = waiting.get();
        assertThat(lease.token()).isGreaterThan(stranger.token());

        CompletableFuture<Lease> next = b.mutex("job").acquireAsync(PATIENT);
        await("b waits").until(() -> b.inspect("job").orElseThrow().waiting() == 1);
        assertThat(next).isNotDone();
        lease.close();
        next.get().close();
        turns(a, TURNS);
    }

    /** The new parent counts from 0, and a stranger stands there just when the next number is the expected one. */
    @Test
    void aParentThatWasDeletedAndMadeAgainKeepsTheOrder() throws Exception {
        Holdfast a = client();
        Holdfast b = client();
        turns(a, TURNS);
        raw.zk.delete(root + "/names/job", -1);
        turns(b, TURNS - 1);
        Lease stranger = b.mutex("job").acquire(PATIENT);

        CompletableFuture<Lease> waiting = a.mutex("job").acquireAsync(PATIENT);

        await("a has a node").until(() -> raw.nodes(root).size() == 2);
        List<String> numbers = raw.nodes(root).stream()
                .map(node -> node.substring(node.lastIndexOf('-') + 1))
                .sorted()
                .toList();
        assertThat(numbers).as("a has the number that it expected").endsWith(String.format("%010d", TURNS));
        // Whatever a was told about its node it knows by now: it answers a question that was asked later.
        assertThat(a.inspect("job").orElseThrow().waiting()).isEqualTo(1);
        assertThat(waiting).isNotDone();
        stranger.close();
        waiting.get().close();
    }

    @Test
    void threadsOfOneClientExcludeEachOtherWithAndWithoutLocalPasses() throws Exception {
        Holdfast client = client();
        turns(client, TURNS);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<CompletableFuture<Void>> all = new java.util.ArrayList<>();
        for (int i = 0; i < 60; i++) {
            all.add(client.mutex("job").acquireAsync(PATIENT.handoffs(i % 3)).thenAccept(lease -> {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                inside.decrementAndGet();
                lease.close();
            }));
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get();

        assertThat(most).hasValue(1);
        assertThat(raw.nodes(root)).isEmpty();
    }

    private static void turns(Holdfast client, int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            client.mutex("job").acquire(PATIENT).close();
        }
    }

    private Holdfast client() {
        return open(Holdfast.open(url() + "?session=10m"));
    }
}
