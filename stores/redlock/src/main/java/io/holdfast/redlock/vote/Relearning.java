package io.holdfast.redlock.vote;

import io.holdfast.redlock.node.NodeKeys;
import io.holdfast.redlock.node.NodeRequest;
import io.holdfast.redlock.node.Quorum;
import io.holdfast.redlock.node.RedlockNode;
import io.holdfast.redlock.node.Round;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes a node that forgot its fences count again (U7): when its quarantine is over, the highest fence of a majority of
 * <em>other</em> nodes that count, read after that, becomes its floor. Any majority that ever granted a token with this
 * node's vote has a node among those read, so no token at or below a granted one gets its vote again.
 *
 * <p>If a majority of the nodes forgot (a fresh deployment, or everything restarted at once) no node knows the fences.
 * The clock stands in for them then, as in every other store that lost its data (U6): the floor is the highest fence
 * found, and the node's clock plus 200 ms.
 *
 * <p>Any number of clients may do this at once: a floor only rises, and learn.lua compares the epoch that was read.
 */
public final class Relearning {
    private static final System.Logger LOG = System.getLogger("io.holdfast.redlock");

    private final Quorum quorum;
    private final List<RedlockNode> nodes;
    private final NodeKeys keys;
    private final int majority;
    private final AtomicReference<@Nullable CompletableFuture<Boolean>> running = new AtomicReference<>();

    public Relearning(Quorum quorum, NodeKeys keys) {
        this.quorum = quorum;
        this.nodes = quorum.nodes();
        this.keys = keys;
        this.majority = nodes.size() / 2 + 1;
    }

    /** Lets the nodes relearn whose last answer said that their quarantine is over. One run at a time. */
    public CompletableFuture<Boolean> run(LongSupplier now, long timeoutNanos) {
        Map<RedlockNode, String> pupils = new HashMap<>();
        for (RedlockNode node : nodes) {
            String epoch = node.trust().pupil(now.getAsLong());
            if (epoch != null) {
                pupils.put(node, epoch);
            }
        }
        if (pupils.isEmpty()) {
            return CompletableFuture.completedFuture(false);
        }
        CompletableFuture<Boolean> fresh = new CompletableFuture<>();
        CompletableFuture<Boolean> other = running.compareAndExchange(null, fresh);
        if (other != null) {
            return other;
        }
        NodeRequest high = quorum.request(NodeScripts.HIGH, keys.node(), timeoutNanos);
        Round.ask(nodes, new Round.Ask(node -> node.eval(high), now), answers -> false)
                .thenCompose(answers -> teach(pupils, answers, timeoutNanos))
                .whenComplete((taught, failure) -> {
                    running.set(null);
                    fresh.complete(taught != null && taught);
                });
        return fresh;
    }

    private CompletableFuture<Boolean> teach(
            Map<RedlockNode, String> pupils, List<Round.Answer> answers, long timeoutNanos) {
        long forgot = answers.stream()
                .map(Round.Answer::reply)
                .filter(reply -> reply != null && reply.state() != 'C')
                .count();
        long answered =
                answers.stream().filter(answer -> answer.reply() != null).count();
        boolean cold = forgot > nodes.size() - majority && answered >= majority;
        CompletableFuture<Boolean> done = CompletableFuture.completedFuture(false);
        for (Map.Entry<RedlockNode, String> pupil : pupils.entrySet()) {
            long teachers = answers.stream()
                    .filter(answer -> answer.counts() && answer.node() != pupil.getKey())
                    .count();
            if (teachers < majority && !cold) {
                continue;
            }
            long floor = answers.stream()
                    .filter(answer -> answer.reply() != null && (cold || answer.counts()))
                    .mapToLong(answer -> Long.parseLong(answer.rest()))
                    .max()
                    .orElse(0);
            LOG.log(
                    System.Logger.Level.INFO,
                    pupil.getKey().address() + " counts again, with the fence " + floor
                            + (cold ? "; a majority had forgotten, so its clock stands in for the lost fences" : ""));
            CompletableFuture<Boolean> one = pupil.getKey()
                    .eval(quorum.request(
                            NodeScripts.LEARN,
                            keys.node(),
                            timeoutNanos,
                            pupil.getValue(),
                            Long.toString(floor),
                            cold ? "cold" : "warm"))
                    .handle((reply, failure) -> failure == null);
            done = done.thenCombine(one, (a, b) -> a || b);
        }
        return done;
    }
}
