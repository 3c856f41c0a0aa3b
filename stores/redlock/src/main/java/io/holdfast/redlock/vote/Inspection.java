package io.holdfast.redlock.vote;

import io.holdfast.Holder;
import io.holdfast.LockStatus;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redlock.node.NodeKeys;
import io.holdfast.redlock.node.NodeRequest;
import io.holdfast.redlock.node.Quorum;
import io.holdfast.redlock.node.RedlockNode;
import io.holdfast.redlock.node.Reply;
import io.holdfast.redlock.node.Round;
import io.holdfast.spi.LockQuery;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** Looks at all nodes and shows what a majority of them agrees on: a vote at fewer nodes holds nothing. */
public final class Inspection {
    private static final int PAGE = 1000;

    private final Quorum quorum;
    private final NodeKeys keys;
    private final long timeoutNanos;

    public Inspection(Quorum quorum, NodeKeys keys, long timeoutNanos) {
        this.quorum = quorum;
        this.keys = keys;
        this.timeoutNanos = timeoutNanos;
    }

    public CompletableFuture<List<LockStatus>> run(LockQuery query) {
        if (!query.prefix()) {
            return one(query.text()).thenApply(List::of);
        }
        TreeSet<String> names = new TreeSet<>((a, b) ->
                Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray()));
        List<CompletableFuture<Boolean>> scans = new ArrayList<>();
        for (RedlockNode node : quorum.nodes()) {
            scans.add(scan(node, ScanCursor.INITIAL, query.text(), names).exceptionally(failure -> false));
        }
        return CompletableFuture.allOf(scans.toArray(CompletableFuture[]::new)).thenCompose(done -> {
            long complete = scans.stream().filter(CompletableFuture::join).count();
            if (complete < quorum.majority()) {
                return CompletableFuture.failedFuture(new StoreUnavailableException(
                        quorum.where() + ": only " + complete + " of " + quorum.size()
                                + " nodes listed their locks in time",
                        false,
                        null));
            }
            List<String> sorted;
            synchronized (names) {
                sorted = List.copyOf(names);
            }
            return list(sorted, 0, query.limit(), new ArrayList<>());
        });
    }

    private CompletableFuture<Boolean> scan(RedlockNode node, ScanCursor from, String prefix, Set<String> names) {
        ScanArgs args = ScanArgs.Builder.matches(keys.pattern(prefix)).limit(PAGE);
        CompletableFuture<KeyScanCursor<String>> page = node.call(redis -> redis.scan(from, args), timeoutNanos);
        return page.thenCompose(found -> {
            synchronized (names) {
                found.getKeys().forEach(key -> names.add(keys.nameOf(key)));
            }
            return found.isFinished()
                    ? CompletableFuture.completedFuture(true)
                    : scan(node, ScanCursor.of(found.getCursor()), prefix, names);
        });
    }

    private CompletableFuture<List<LockStatus>> list(List<String> names, int at, int limit, List<LockStatus> found) {
        if (at == names.size() || found.size() == limit) {
            return CompletableFuture.completedFuture(found);
        }
        return one(names.get(at)).thenCompose(status -> {
            if (status.held() || !status.lockDelay().isZero()) {
                found.add(status);
            }
            return list(names, at + 1, limit, found);
        });
    }

    private CompletableFuture<LockStatus> one(String name) {
        String bucket = Integer.toString(keys.bucket(name));
        NodeRequest request = quorum.request(NodeScripts.INSPECT, keys.lock(name), timeoutNanos, bucket);
        return Round.ask(quorum.nodes(), new Round.Ask(node -> node.eval(request), quorum::now), answers -> false)
                .thenApply(answers -> merged(name, answers));
    }

    private LockStatus merged(String name, List<Round.Answer> answers) {
        Map<String, List<Reply.Vote>> votes = new LinkedHashMap<>();
        long last = 0;
        long lead = 0;
        int answered = 0;
        for (Round.Answer answer : answers) {
            if (answer.reply() != null) {
                answered++;
                String[] lines = answer.rest().split("\n");
                last = Math.max(last, Long.parseLong(lines[0].split(" ")[0]));
                lead = Math.max(lead, Long.parseLong(lines[0].split(" ")[1]));
                for (int i = 1; i < lines.length; i++) {
                    Reply.Vote vote = Reply.Vote.parse(lines[i]);
                    votes.computeIfAbsent(vote.id() + vote.attempt(), first -> new ArrayList<>())
                            .add(vote);
                }
            }
        }
        if (answered < quorum.majority()) {
            throw quorum.tooFew(name, answers);
        }
        return status(name, votes, last, lead);
    }

    private LockStatus status(String name, Map<String, List<Reply.Vote>> votes, long last, long lead) {
        List<Holder> holders = new ArrayList<>();
        long delay = 0;
        boolean revoked = false;
        for (List<Reply.Vote> each : votes.values()) {
            List<Reply.Vote> inForce = each.stream()
                    .filter(Reply.Vote::inForce)
                    .sorted((a, b) ->
                            b.holder().remaining().compareTo(a.holder().remaining()))
                    .toList();
            if (inForce.size() >= quorum.majority()) {
                // As long as a majority keeps it: the shortest of the longest majority.
                holders.add(inForce.get(quorum.majority() - 1).holder());
                revoked |= inForce.stream().filter(Reply.Vote::revoked).count() >= quorum.majority();
            } else if (each.size() >= quorum.majority()) {
                for (Reply.Vote vote : each) {
                    delay = Math.max(delay, vote.closedMillis());
                }
            }
        }
        return new LockStatus(name, holders, 0, Duration.ofMillis(delay), revoked, last, Duration.ofNanos(lead * 1000));
    }
}
