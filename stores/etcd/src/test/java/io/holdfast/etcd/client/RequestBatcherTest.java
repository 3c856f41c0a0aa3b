package io.holdfast.etcd.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.tck.TestTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RequestBatcherTest {
    private static final Duration PATIENCE = TestTime.scaled(Duration.ofSeconds(30));
    private static final long GAP = 500;

    private final Calls calls = new Calls();
    private long now = 1_000_000;
    private final RequestBatcher<String> batcher = new RequestBatcher<>(calls, 2, 3, GAP, () -> now);

    /** Calls that end when the test ends them. A request is a key, a colon and any text. */
    private static final class Calls implements RequestBatcher.Transport<String> {
        final List<List<String>> sent = new ArrayList<>();
        final List<CompletableFuture<String>> ends = new ArrayList<>();

        @Override
        public CompletionStage<?> send(List<String> requests) {
            sent.add(requests);
            CompletableFuture<String> end = new CompletableFuture<>();
            ends.add(end);
            return end;
        }

        @Override
        public Object key(String request) {
            return request.split(":")[0];
        }
    }

    @Test
    void requestsAreSentAtOnceWhileFewCallsAreUnderWay() {
        batcher.add("a:1");
        batcher.add("b:1");

        assertThat(calls.sent).containsExactly(List.of("a:1"), List.of("b:1"));
    }

    @Test
    void requestsThatWaitAreSentTogetherWhenACallEnds() {
        List.of("a:1", "b:1", "c:1", "d:1").forEach(batcher::add);
        assertThat(calls.sent).hasSize(2);

        calls.ends.get(1).complete("done");

        assertThat(calls.sent).hasSize(3).last().isEqualTo(List.of("c:1", "d:1"));
    }

    @Test
    void aCallThatFailedEndsToo() {
        List.of("a:1", "b:1", "c:1").forEach(batcher::add);

        calls.ends.get(0).completeExceptionally(new IllegalStateException("broken"));

        assertThat(calls.sent).last().isEqualTo(List.of("c:1"));
    }

    @Test
    void aCallContainsOneRequestPerKeyAndTheOthersFollowInTheirOrder() {
        List.of("a:1", "b:1", "c:1", "c:2", "d:1", "c:3").forEach(batcher::add);

        calls.ends.get(0).complete("done");
        assertThat(calls.sent).last().isEqualTo(List.of("c:1", "d:1"));
        calls.ends.get(1).complete("done");
        assertThat(calls.sent).last().isEqualTo(List.of("c:2"));
        calls.ends.get(2).complete("done");
        assertThat(calls.sent).last().isEqualTo(List.of("c:3"));
    }

    @Test
    void aCallContainsNoMoreRequestsThanTheMaximum() {
        List.of("a:1", "b:1", "c:1", "d:1", "e:1", "f:1").forEach(batcher::add);

        calls.ends.get(0).complete("done");
        calls.ends.get(1).complete("done");

        assertThat(calls.sent.subList(2, 4)).containsExactly(List.of("c:1", "d:1", "e:1"), List.of("f:1"));
    }

    @Test
    void unansweredCallsDoNotDelayANewRequest() {
        List.of("a:1", "b:1", "c:1").forEach(batcher::add);
        assertThat(calls.sent).hasSize(2);

        now += GAP;
        batcher.add("d:1");

        assertThat(calls.sent).hasSize(3).last().isEqualTo(List.of("c:1", "d:1"));
    }

    @Test
    void theLastRequestIsSentByTheSweep() {
        List.of("a:1", "b:1", "c:1").forEach(batcher::add);
        batcher.sendOverdue();
        assertThat(calls.sent).hasSize(2);

        now += GAP;
        batcher.sendOverdue();

        assertThat(calls.sent).hasSize(3).last().isEqualTo(List.of("c:1"));
    }

    @Test
    void manyThreadsSendEveryRequestOnceAndNeverTwoOfOneKeyTogether() throws Exception {
        int threads = 8;
        int each = 2_000;
        ConcurrentLinkedQueue<List<Integer>> sent = new ConcurrentLinkedQueue<>();
        CountDownLatch done = new CountDownLatch(threads * each);
        ExecutorService answers = Executors.newFixedThreadPool(2);
        RequestBatcher<Integer> busy = new RequestBatcher<>(
                new RequestBatcher.Transport<Integer>() {
                    @Override
                    public CompletionStage<?> send(List<Integer> requests) {
                        sent.add(requests);
                        return CompletableFuture.runAsync(() -> requests.forEach(request -> done.countDown()), answers);
                    }

                    @Override
                    public Object key(Integer request) {
                        return request % 5;
                    }
                },
                2,
                16,
                TimeUnit.HOURS.toNanos(1),
                System::nanoTime);
        ExecutorService askers = Executors.newFixedThreadPool(threads);
        try {
            for (int thread = 0; thread < threads; thread++) {
                int first = thread * each;
                askers.execute(() -> IntStream.range(first, first + each).forEach(busy::add));
            }
            assertThat(done.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } finally {
            askers.shutdownNow();
            answers.shutdownNow();
        }
        assertThat(sent.stream().flatMap(List::stream).sorted().toList())
                .isEqualTo(IntStream.range(0, threads * each).boxed().toList());
        assertThat(sent)
                .allSatisfy(call -> assertThat(call.stream()
                                .map(request -> request % 5)
                                .distinct()
                                .count())
                        .isEqualTo(call.size()));
    }
}
