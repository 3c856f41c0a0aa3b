package io.holdfast.etcd.client;

import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends transactions of several threads as one transaction while other calls are under way. The shared transaction has
 * no condition; its steps are the threads' transactions, each with its own condition. etcd agrees on the shared
 * transaction once and flushes it once.
 *
 * <p>All keys that one transaction puts have the same create revision. So a shared transaction contains only one
 * transaction about a lock: otherwise two claims for that lock would have the same place in line and the same token.
 */
final class BatchedTxns implements RequestBatcher.Transport<BatchedTxns.Request> {
    /** With one call only, the server would be idle while the client reads its answer. */
    private static final int MAX_CALLS = 2;

    /** etcd accepts 128 steps by default; each of these transactions has four at most, and is a step itself. */
    private static final int MAX_TXNS = 24;

    /** A fraction of the time that etcd takes to flush. */
    private static final long GAP_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    /**
     * One transaction.
     *
     * @param lockName the lock that it is about
     * @param when its condition
     * @param then its steps
     * @param answer completes with its answer
     * @param by its deadline
     */
    record Request(String lockName, List<Cmp> when, List<Op> then, CompletableFuture<TxnAnswer> answer, Deadline by) {}

    private final EtcdCalls calls;
    private final RequestBatcher<Request> batcher =
            new RequestBatcher<>(this, MAX_CALLS, MAX_TXNS, GAP_NANOS, System::nanoTime);

    BatchedTxns(EtcdCalls calls) {
        this.calls = calls;
    }

    CompletableFuture<TxnAnswer> txn(String lockName, List<Cmp> when, List<Op> then, Deadline by) {
        Request request = new Request(lockName, when, then, new CompletableFuture<>(), by);
        calls.limit(request.answer(), by);
        batcher.add(request);
        return request.answer();
    }

    /** Sends the transactions that have waited for long enough. */
    void sendOverdue() {
        batcher.sendOverdue();
    }

    @Override
    public Object key(Request request) {
        return request.lockName();
    }

    @Override
    public CompletionStage<?> send(List<Request> requests) {
        List<Request> wanted = new ArrayList<>(requests);
        wanted.removeIf(request -> request.answer().isDone());
        if (wanted.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return wanted.size() == 1 ? sendAlone(wanted.get(0)) : sendTogether(wanted);
    }

    private CompletionStage<?> sendAlone(Request request) {
        return calls.txn(request.when(), request.then(), request.by()).whenComplete((answer, failure) -> {
            if (failure == null) {
                request.answer().complete(new TxnAnswer(answer.getHeader().getRevision(), answer));
            } else {
                request.answer().completeExceptionally(failure);
            }
        });
    }

    private CompletionStage<?> sendTogether(List<Request> requests) {
        List<Op> steps = new ArrayList<>(requests.size());
        Deadline by = requests.get(0).by();
        for (Request request : requests) {
            steps.add(Op.txn(request.when().toArray(Cmp[]::new), request.then().toArray(Op[]::new), new Op[0]));
            by = request.by().atNanos() - by.atNanos() > 0 ? request.by() : by;
        }
        CompletableFuture<TxnResponse> call = calls.txn(List.of(), steps, by);
        call.whenComplete((answer, failure) -> deliver(requests, answer, failure));
        return call;
    }

    private void deliver(List<Request> requests, @Nullable TxnResponse answer, @Nullable Throwable failure) {
        if (answer != null) {
            long revision = answer.getHeader().getRevision();
            List<TxnResponse> answers = answer.getTxnResponses();
            for (int i = 0; i < requests.size(); i++) {
                requests.get(i).answer().complete(new TxnAnswer(revision, answers.get(i)));
            }
            return;
        }
        Throwable cause = Failures.unwrapped(Objects.requireNonNull(failure));
        if (Failures.outcomeUnknown(cause)) {
            requests.forEach(request -> request.answer().completeExceptionally(cause));
        } else {
            // etcd refused all because of one, and did nothing. Sent alone, each gets its own answer.
            requests.forEach(this::sendAlone);
        }
    }
}
