package io.holdfast.etcd;

import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.Op;
import io.holdfast.StoreUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Transactions of several threads that travel as one while others are under way: a transaction without a condition
 * whose steps are theirs, each with its own condition. etcd agrees on them once and flushes them once.
 *
 * <p>All that is put in one transaction has the same create revision, so of one lock only one of them may be in it: else
 * two claims of a line would have the same place and the same token.
 */
final class JointTxns implements Convoy.Road<JointTxns.Request> {
    /** With one, the server would idle while the client reads its answer. */
    private static final int LANES = 2;

    /** etcd takes 128 steps in all, unless told otherwise; each of ours has four at most. */
    private static final int SEATS = 24;

    /** A fraction of what etcd takes to flush. */
    private static final long GAP_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    /**
     * The answer of one of them.
     *
     * @param revision the revision of the store after it
     * @param txn the rest
     */
    record Answer(long revision, TxnResponse txn) {}

    /**
     * One of them.
     *
     * @param lockName what it is about
     * @param when its condition
     * @param then what it does then
     * @param answer its end
     * @param until when its time is up
     */
    record Request(String lockName, List<Cmp> when, List<Op> then, CompletableFuture<Answer> answer, long until) {
        long left() {
            return until - System.nanoTime();
        }
    }

    private final EtcdWire wire;
    private final Convoy<Request> convoy = new Convoy<>(this, LANES, SEATS, GAP_NANOS, System::nanoTime);

    JointTxns(EtcdWire wire) {
        this.wire = wire;
    }

    /** If {@code when} then {@code then}, about this lock. */
    CompletableFuture<Answer> txn(String lockName, List<Cmp> when, List<Op> then, long nanos) {
        Request request = new Request(lockName, when, then, new CompletableFuture<>(), System.nanoTime() + nanos);
        wire.limit(request.answer(), nanos);
        convoy.add(request);
        return request.answer();
    }

    /** Sends what has waited for long enough. */
    void hurry() {
        convoy.hurry();
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
        return wanted.size() == 1 ? sendAlone(wanted.get(0)) : sendAll(wanted);
    }

    private CompletionStage<?> sendAlone(Request request) {
        return wire.txn(request.when(), request.then(), List.of(), request.left())
                .whenComplete((answer, failure) -> {
                    if (failure == null) {
                        request.answer().complete(new Answer(answer.getHeader().getRevision(), answer));
                    } else {
                        request.answer().completeExceptionally(failure);
                    }
                });
    }

    private CompletionStage<?> sendAll(List<Request> requests) {
        List<Op> steps = new ArrayList<>(requests.size());
        long left = 0;
        for (Request request : requests) {
            steps.add(Op.txn(request.when().toArray(Cmp[]::new), request.then().toArray(Op[]::new), new Op[0]));
            left = Math.max(left, request.left());
        }
        CompletableFuture<TxnResponse> call = wire.txn(List.of(), steps, List.of(), left);
        call.whenComplete((answer, failure) -> deliver(requests, answer, failure));
        return call;
    }

    private void deliver(List<Request> requests, @Nullable TxnResponse answer, @Nullable Throwable failure) {
        if (answer != null) {
            long revision = answer.getHeader().getRevision();
            List<TxnResponse> answers = answer.getTxnResponses();
            for (int i = 0; i < requests.size(); i++) {
                requests.get(i).answer().complete(new Answer(revision, answers.get(i)));
            }
            return;
        }
        Throwable cause = Failures.unwrapped(Objects.requireNonNull(failure));
        if (cause instanceof StoreUnavailableException known && !known.outcomeUnknown()) {
            // Refused because of one of them, and nothing was done: each finds out for itself.
            requests.forEach(this::sendAlone);
        } else {
            requests.forEach(request -> request.answer().completeExceptionally(cause));
        }
    }
}
