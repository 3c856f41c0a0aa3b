package io.holdfast.redlock.node;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One question to all nodes in parallel. */
public final class Round {
    /**
     * What became of the question at one node.
     *
     * @param node the node
     * @param reply its answer, if it came in time
     * @param counts whether the node counted when it answered
     * @param failure why there is no answer
     */
    public record Answer(
            RedlockNode node,
            @Nullable Reply reply,
            boolean counts,
            @Nullable Throwable failure) {
        public String rest() {
            Reply present = reply;
            return present == null ? "" : present.rest();
        }
    }

    private final List<Answer> answers = new ArrayList<>();
    private final CompletableFuture<List<Answer>> result = new CompletableFuture<>();
    private final int size;
    private final Predicate<List<Answer>> enough;

    private Round(int size, Predicate<List<Answer>> enough) {
        this.size = size;
        this.enough = enough;
    }

    /**
     * Asks every node; completes with the answers so far as soon as they are {@code enough}, at the latest when each
     * node has answered or its time is up. Fails only if {@code enough} does.
     */
    public static CompletableFuture<List<Answer>> ask(
            List<RedlockNode> nodes, Ask question, Predicate<List<Answer>> enough) {
        Round round = new Round(nodes.size(), enough);
        for (RedlockNode node : nodes) {
            send(node, question)
                    .handle((reply, failure) -> answer(node, reply, failure, question.now()))
                    .whenComplete((answer, failure) ->
                            round.add(failure == null ? answer : new Answer(node, null, false, failure)));
        }
        return round.result;
    }

    /** L13: a node that cannot even be asked has failed, and the others are asked nevertheless. */
    private static CompletableFuture<Reply> send(RedlockNode node, Ask question) {
        try {
            return question.request().apply(node);
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static Answer answer(
            RedlockNode node, @Nullable Reply reply, @Nullable Throwable failure, LongSupplier now) {
        boolean counts = reply != null && node.trust().counts(reply, now.getAsLong());
        return new Answer(node, reply, counts, failure);
    }

    /**
     * A question.
     *
     * @param request sends it to one node
     * @param now the client's monotonic clock
     */
    public record Ask(Function<RedlockNode, CompletableFuture<Reply>> request, LongSupplier now) {}

    private void add(Answer answer) {
        List<Answer> decided = null;
        try {
            synchronized (this) {
                if (!result.isDone()) {
                    answers.add(answer);
                    if (answers.size() == size || enough.test(answers)) {
                        decided = List.copyOf(answers);
                    }
                }
            }
        } catch (Throwable e) { // L13: a count that fails is the outcome of the round
            result.completeExceptionally(e);
        }
        if (decided != null) {
            result.complete(decided);
        }
    }
}
