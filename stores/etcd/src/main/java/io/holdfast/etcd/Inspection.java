package io.holdfast.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.holdfast.Holder;
import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.etcd.client.Deadline;
import io.holdfast.etcd.client.EtcdCalls;
import io.holdfast.etcd.line.Entry;
import io.holdfast.etcd.line.KeySpace;
import io.holdfast.etcd.line.Line;
import io.holdfast.etcd.line.LineReads;
import io.holdfast.etcd.line.LockDelay;
import io.holdfast.etcd.line.Tokens;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.RevokeResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads the lines of locks for users, and revokes holders for an operator. Needs no claim of its own. */
final class Inspection {
    private static final int PAGE = 500;

    /** Keys of holders, and of lock-delays, that one transaction deletes; etcd accepts 128 operations by default. */
    private static final int BATCH = 60;

    private static final Duration SHORTEST_DELAY = Duration.ofMillis(1);

    /**
     * Lines, and the revision at which they were read.
     *
     * @param lines by name, in the order of the names' bytes
     * @param revision the revision of the store
     */
    private record Seen(Map<String, Line> lines, long revision) {}

    private final EtcdCalls calls;
    private final KeySpace keys;
    private final Tokens tokens;

    Inspection(EtcdCalls calls, KeySpace keys, Tokens tokens) {
        this.calls = calls;
        this.keys = keys;
        this.tokens = tokens;
    }

    CompletableFuture<List<LockStatus>> inspect(LockQuery query) {
        Deadline by = calls.deadline();
        CompletableFuture<Seen> seen = query.prefix() ? scan(query.text(), query.limit(), by) : one(query.text(), by);
        return seen.thenCompose(found -> statuses(found, by));
    }

    CompletableFuture<RevokeResult> revoke(String name, Revocation how) {
        Deadline by = calls.deadline();
        return one(name, by).thenCompose(found -> {
            Line line = found.lines().get(name);
            if (line == null || (line.holders().isEmpty() && line.openDelays().isEmpty())) {
                return CompletableFuture.completedFuture(new RevokeResult.NotHeld());
            }
            return how == Revocation.NOW ? revokeNow(name, line, by) : revokeAtEnd(name, line, by);
        });
    }

    /** One lock. It is known also if no claim is in its line: no token above the present revision was ever issued. */
    private CompletableFuture<Seen> one(String name, Deadline by) {
        return calls.read(LineReads.whole(keys, name), by)
                .thenApply(answer -> new Seen(
                        Map.of(name, LineReads.line(name, answer.getGetResponses())),
                        answer.getHeader().getRevision()));
    }

    /** The first {@code limit} locks whose names begin with {@code prefix}, in the order of the names' bytes. */
    private CompletableFuture<Seen> scan(String prefix, int limit, Deadline by) {
        Map<String, List<KeyValue>> queues = byBytes();
        Map<String, List<KeyValue>> delays = byBytes();
        ByteSequence allQueues = keys.allQueues(prefix);
        ByteSequence allDelays = keys.allDelays(prefix);
        return page(allQueues, allQueues, limit, queues, by)
                .thenCompose(revision -> page(allDelays, allDelays, limit, delays, by))
                .thenApply(revision -> {
                    Map<String, Line> lines = byBytes();
                    Stream.concat(queues.keySet().stream(), delays.keySet().stream())
                            .forEach(name -> lines.put(
                                    name,
                                    LineReads.line(
                                            name,
                                            queues.getOrDefault(name, List.of()),
                                            delays.getOrDefault(name, List.of()))));
                    Map<String, Line> first = byBytes();
                    lines.entrySet().stream().limit(limit).forEach(each -> first.put(each.getKey(), each.getValue()));
                    return new Seen(first, revision);
                });
    }

    /** Reads on until one more name than {@code limit} was found, so that the lines of the others are complete. */
    private CompletableFuture<Long> page(
            ByteSequence all, ByteSequence from, int limit, Map<String, List<KeyValue>> into, Deadline by) {
        GetOption option = GetOption.builder()
                .withRange(KeySpace.endOf(all))
                .withLimit(PAGE)
                .withSortField(GetOption.SortTarget.KEY)
                .withSortOrder(GetOption.SortOrder.ASCEND)
                .build();
        return calls.get(from, option, by).thenCompose(answer -> {
            for (KeyValue kv : answer.getKvs()) {
                String name = keys.nameIn(kv.getKey());
                if (name != null) {
                    into.computeIfAbsent(name, unused -> new ArrayList<>()).add(kv);
                }
            }
            if (!answer.isMore() || answer.getKvs().isEmpty() || into.size() > limit) {
                return CompletableFuture.completedFuture(answer.getHeader().getRevision());
            }
            ByteSequence last = answer.getKvs().get(answer.getKvs().size() - 1).getKey();
            return page(all, last.concat(KeySpace.bytes("\0")), limit, into, by);
        });
    }

    private CompletableFuture<List<LockStatus>> statuses(Seen seen, Deadline by) {
        Set<Long> leases = seen.lines().values().stream()
                .flatMap(line -> Stream.concat(
                        line.holders().stream().map(Entry::leaseId),
                        line.openDelays().stream().map(LockDelay::leaseId)))
                .collect(Collectors.toSet());
        Map<Long, Duration> left = new HashMap<>();
        List<CompletableFuture<?>> asks = new ArrayList<>();
        for (long lease : leases) {
            asks.add(calls.timeToLive(lease, false, by).thenAccept(answer -> {
                synchronized (left) {
                    left.put(lease, Duration.ofSeconds(Math.max(0, answer.getTTL())));
                }
            }));
        }
        return CompletableFuture.allOf(asks.toArray(CompletableFuture[]::new))
                .thenApply(done -> seen.lines().entrySet().stream()
                        .map(each -> status(each.getKey(), each.getValue(), left, seen.revision()))
                        .toList());
    }

    private LockStatus status(String name, Line line, Map<Long, Duration> left, long revision) {
        List<Holder> holders = line.holders().stream()
                .map(entry -> entry.asHolder(
                        tokens,
                        least(
                                entry.claim().ttl(),
                                left.getOrDefault(entry.leaseId(), entry.claim().ttl()))))
                .toList();
        Duration delay = line.openDelays().stream()
                .map(open -> greatest(
                        SHORTEST_DELAY, least(open.length(), left.getOrDefault(open.leaseId(), open.length()))))
                .reduce(Duration.ZERO, Inspection::greatest);
        long lastToken = line.holders().stream()
                .mapToLong(entry ->
                        tokens.first(entry.createRevision()) + entry.claim().span() - 1)
                .max()
                .orElseGet(() -> tokens.first(revision + 1) - 1);
        return new LockStatus(
                name,
                holders,
                line.entries().size() - holders.size(),
                delay,
                line.holders().stream().anyMatch(Entry::revoked),
                lastToken,
                Duration.ZERO);
    }

    /** Marks the holders, so that their next renewals fail. The lock is free when their leases would have ended. */
    private CompletableFuture<RevokeResult> revokeAtEnd(String name, Line line, Deadline by) {
        Duration opensIn = Duration.ZERO;
        List<Cmp> unchanged = new ArrayList<>();
        List<Op> puts = new ArrayList<>();
        for (Entry entry : line.holders()) {
            opensIn = greatest(opensIn, entry.claim().ttl().plus(entry.claim().lockDelay()));
            unchanged.add(new Cmp(entry.key(), Cmp.Op.EQUAL, CmpTarget.modRevision(entry.modRevision())));
            puts.add(Op.put(
                    entry.key(),
                    entry.revokedValue(),
                    PutOption.builder().withLeaseId(entry.leaseId()).build()));
        }
        for (LockDelay delay : line.openDelays()) {
            opensIn = greatest(opensIn, delay.length());
        }
        if (puts.isEmpty()) {
            return CompletableFuture.completedFuture(new RevokeResult.Revoked(opensIn));
        }
        RevokeResult done = new RevokeResult.Revoked(opensIn);
        return calls.txn(unchanged, puts, by)
                .thenCompose(answer -> answer.isSucceeded()
                        ? CompletableFuture.completedFuture(done)
                        : revoke(name, Revocation.AT_LEASE_END));
    }

    private CompletableFuture<RevokeResult> revokeNow(String name, Line line, Deadline by) {
        List<Cmp> unchanged = new ArrayList<>();
        List<Op> deletes = new ArrayList<>();
        line.holders().stream().limit(BATCH).forEach(entry -> {
            unchanged.add(entry.isStillThere());
            deletes.add(Op.delete(entry.key(), DeleteOption.DEFAULT));
        });
        line.delays().stream().limit(BATCH).forEach(delay -> {
            // U32: a later claim of the same client may announce its delay under the same key.
            unchanged.add(new Cmp(delay.key(), Cmp.Op.EQUAL, CmpTarget.createRevision(delay.createRevision())));
            deletes.add(Op.delete(delay.key(), DeleteOption.DEFAULT));
        });
        boolean all = line.holders().size() <= BATCH && line.delays().size() <= BATCH;
        RevokeResult done = new RevokeResult.Revoked(Duration.ZERO);
        return calls.txn(unchanged, deletes, by)
                .thenCompose(answer -> answer.isSucceeded() && all
                        ? CompletableFuture.completedFuture(done)
                        : revoke(name, Revocation.NOW)
                                .thenApply(again -> again instanceof RevokeResult.NotHeld ? done : again));
    }

    /** A map whose order is that of the keys in etcd. */
    private static <V> Map<String, V> byBytes() {
        return new TreeMap<>((a, b) ->
                Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8)));
    }

    private static Duration least(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    private static Duration greatest(Duration a, Duration b) {
        return a.compareTo(b) > 0 ? a : b;
    }
}
