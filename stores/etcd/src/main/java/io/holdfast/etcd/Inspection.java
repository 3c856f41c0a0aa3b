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
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.RevokeResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What others look at, and what an operator does. */
final class Inspection {
    private static final int PAGE = 500;
    private static final Duration A_MOMENT = Duration.ofMillis(1);

    /**
     * Lines, and the revision at which they were read.
     *
     * @param lines by name, in the order of the names' bytes
     * @param revision the revision of the store
     */
    private record Seen(Map<String, Line> lines, long revision) {}

    private final Env env;

    Inspection(Env env) {
        this.env = env;
    }

    CompletableFuture<List<LockStatus>> inspect(LockQuery query) {
        long began = env.clock().nanos();
        CompletableFuture<Seen> seen =
                query.prefix() ? scan(query.text(), query.limit(), began) : one(query.text(), began);
        return seen.thenCompose(found -> statuses(found, began));
    }

    CompletableFuture<RevokeResult> revoke(String name, Revocation how) {
        long began = env.clock().nanos();
        return one(name, began).thenCompose(found -> {
            Line line = found.lines().get(name);
            if (line == null || (line.holders().isEmpty() && line.openDelays().isEmpty())) {
                return CompletableFuture.completedFuture(new RevokeResult.NotHeld());
            }
            return how == Revocation.NOW ? revokeNow(name, line, began) : revokeAtEnd(name, line, began);
        });
    }

    /** One name, which is known even if nobody wants it: no token above the present revision was ever issued. */
    private CompletableFuture<Seen> one(String name, long began) {
        return env.wire()
                .txn(List.of(), LineReads.whole(env.keys(), name), List.of(), env.left(began))
                .thenApply(answer -> new Seen(
                        Map.of(name, LineReads.line(answer.getGetResponses(), 0)),
                        answer.getHeader().getRevision()));
    }

    /** The first {@code limit} names that begin so, in the order of their bytes. */
    private CompletableFuture<Seen> scan(String prefix, int limit, long began) {
        Map<String, List<KeyValue>> queues = byBytes();
        Map<String, List<KeyValue>> delays = byBytes();
        ByteSequence allQueues = env.keys().allQueues(prefix);
        ByteSequence allDelays = env.keys().allDelays(prefix);
        return page(allQueues, allQueues, limit, queues, began)
                .thenCompose(revision -> page(allDelays, allDelays, limit, delays, began))
                .thenApply(revision -> {
                    Map<String, Line> lines = byBytes();
                    Stream.concat(queues.keySet().stream(), delays.keySet().stream())
                            .forEach(name -> lines.put(
                                    name,
                                    line(queues.getOrDefault(name, List.of()), delays.getOrDefault(name, List.of()))));
                    Map<String, Line> first = byBytes();
                    lines.entrySet().stream().limit(limit).forEach(each -> first.put(each.getKey(), each.getValue()));
                    return new Seen(first, revision);
                });
    }

    /** Reads on until one name more than wanted was seen, so that the wanted ones are complete. */
    private CompletableFuture<Long> page(
            ByteSequence all, ByteSequence from, int limit, Map<String, List<KeyValue>> into, long began) {
        GetOption option = GetOption.builder()
                .withRange(KeySpace.endOf(all))
                .withLimit(PAGE)
                .withSortField(GetOption.SortTarget.KEY)
                .withSortOrder(GetOption.SortOrder.ASCEND)
                .build();
        return env.wire().get(from, option, env.left(began)).thenCompose(answer -> {
            for (KeyValue kv : answer.getKvs()) {
                String name = env.keys().nameIn(kv.getKey());
                if (name != null) {
                    into.computeIfAbsent(name, unused -> new ArrayList<>()).add(kv);
                }
            }
            if (!answer.isMore() || answer.getKvs().isEmpty() || into.size() > limit) {
                return CompletableFuture.completedFuture(answer.getHeader().getRevision());
            }
            ByteSequence last = answer.getKvs().get(answer.getKvs().size() - 1).getKey();
            return page(all, last.concat(KeySpace.bytes("\0")), limit, into, began);
        });
    }

    private static Line line(List<KeyValue> queue, List<KeyValue> delays) {
        List<Entry> entries = queue.stream()
                .map(Entry::of)
                .flatMap(Stream::ofNullable)
                .sorted((a, b) -> Long.compare(a.createRevision(), b.createRevision()))
                .toList();
        return new Line(
                entries,
                delays.stream().map(Delay::of).flatMap(Stream::ofNullable).toList());
    }

    private CompletableFuture<List<LockStatus>> statuses(Seen seen, long began) {
        Set<Long> leases = seen.lines().values().stream()
                .flatMap(line -> Stream.concat(
                        line.holders().stream().map(Entry::leaseId),
                        line.openDelays().stream().map(Delay::leaseId)))
                .collect(Collectors.toSet());
        Map<Long, Duration> left = new HashMap<>();
        List<CompletableFuture<?>> asks = new ArrayList<>();
        for (long lease : leases) {
            asks.add(env.wire().timeToLive(lease, false, env.left(began)).thenAccept(answer -> {
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
                        env.tokens(), least(entry.ttl(), left.getOrDefault(entry.leaseId(), entry.ttl()))))
                .toList();
        Duration delay = line.openDelays().stream()
                .map(open -> greatest(A_MOMENT, least(open.length(), left.getOrDefault(open.leaseId(), open.length()))))
                .reduce(Duration.ZERO, Inspection::greatest);
        long lastToken = line.holders().stream()
                .mapToLong(entry -> env.tokens().first(entry.createRevision()) + entry.span() - 1)
                .max()
                .orElseGet(() -> env.tokens().first(revision + 1) - 1);
        return new LockStatus(
                name,
                holders,
                line.entries().size() - holders.size(),
                delay,
                line.holders().stream().anyMatch(Entry::revoked),
                lastToken,
                Duration.ZERO);
    }

    /** The mark makes the next renewals fail; the name opens when the leases would have ended. */
    private CompletableFuture<RevokeResult> revokeAtEnd(String name, Line line, long began) {
        Duration opensIn = Duration.ZERO;
        List<Cmp> unchanged = new ArrayList<>();
        List<Op> puts = new ArrayList<>();
        for (Entry entry : line.holders()) {
            opensIn = greatest(opensIn, entry.ttl().plus(entry.lockDelay()));
            unchanged.add(new Cmp(entry.key(), Cmp.Op.EQUAL, CmpTarget.modRevision(entry.modRevision())));
            puts.add(Op.put(
                    entry.key(),
                    entry.revokedValue(),
                    PutOption.builder().withLeaseId(entry.leaseId()).build()));
        }
        for (Delay delay : line.openDelays()) {
            opensIn = greatest(opensIn, delay.length());
        }
        if (puts.isEmpty()) {
            return CompletableFuture.completedFuture(new RevokeResult.Revoked(opensIn));
        }
        RevokeResult done = new RevokeResult.Revoked(opensIn);
        return env.wire()
                .txn(unchanged, puts, List.of(), env.left(began))
                .thenCompose(answer -> answer.isSucceeded() || env.left(began) <= 0
                        ? CompletableFuture.completedFuture(done)
                        : revoke(name, Revocation.AT_LEASE_END));
    }

    private CompletableFuture<RevokeResult> revokeNow(String name, Line line, long began) {
        List<Cmp> unchanged = new ArrayList<>();
        List<Op> deletes = new ArrayList<>();
        line.holders().stream().limit(Keeping.BATCH).forEach(entry -> {
            unchanged.add(Leaving.isStill(entry));
            deletes.add(Op.delete(entry.key(), DeleteOption.DEFAULT));
        });
        line.delays().stream().limit(Keeping.BATCH).forEach(delay -> {
            // U32: a later claim of the same client may announce its delay under the same key.
            unchanged.add(new Cmp(delay.key(), Cmp.Op.EQUAL, CmpTarget.createRevision(delay.createRevision())));
            deletes.add(Op.delete(delay.key(), DeleteOption.DEFAULT));
        });
        boolean all = line.holders().size() <= Keeping.BATCH && line.delays().size() <= Keeping.BATCH;
        RevokeResult done = new RevokeResult.Revoked(Duration.ZERO);
        return env.wire()
                .txn(unchanged, deletes, List.of(), env.left(began))
                .thenCompose(answer -> answer.isSucceeded() && all
                        ? CompletableFuture.completedFuture(done)
                        : revoke(name, Revocation.NOW)
                                .thenApply(again -> again instanceof RevokeResult.NotHeld ? done : again));
    }

    /** Sorted as the keys are. */
    private static <V> Map<String, V> byBytes() {
        return new TreeMap<>((a, b) -> java.util.Arrays.compareUnsigned(
                a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8)));
    }

    private static Duration least(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    private static Duration greatest(Duration a, Duration b) {
        return a.compareTo(b) > 0 ? a : b;
    }
}
