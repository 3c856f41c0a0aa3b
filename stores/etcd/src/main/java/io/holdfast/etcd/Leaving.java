package io.holdfast.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.holdfast.Holder;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ReleaseResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How a claim leaves the line: by release, cancel or expiry, and what makes sure that nothing of it stays behind. */
final class Leaving {
    private final Env env;
    private final Tombstones tombstones;

    Leaving(Env env) {
        this.env = env;
        this.tombstones = new Tombstones(env);
    }

    /**
     * Deletes the claim's key, and its lock-delay. {@code place} is what this client knows of the claim, which {@code
     * was} holding or waiting: its key is deleted without looking. A claim that was not there leaves a tombstone.
     */
    CompletableFuture<ReleaseResult> release(
            Claim claim, @Nullable Place place, Place.@Nullable Phase was, long began) {
        if (place == null || (was != Place.Phase.HELD && was != Place.Phase.WAITING)) {
            return releaseUnknown(claim, began);
        }
        return env.wire()
                .txn(claim.lockName(), List.of(place.isStillThere()), Entering.removal(place), env.left(began))
                .thenCompose(answer -> {
                    if (!answer.txn().isSucceeded()) {
                        return releaseUnknown(claim, began);
                    }
                    boolean held = was == Place.Phase.HELD;
                    return done(held ? ReleaseResult.Released.INSTANCE : new ReleaseResult.NotHeld(null));
                });
    }

    /** Looks for the claim by its holder id, and deletes what there is of it. */
    private CompletableFuture<ReleaseResult> releaseUnknown(Claim claim, long began) {
        return read(claim, List.of(), began).thenCompose(line -> {
            Entry own = line.of(claim.holder());
            Delay delay = delayOf(line, claim);
            if (own == null && delay == null) {
                ReleaseResult notHeld = new ReleaseResult.NotHeld(firstHolder(line));
                return bury(claim, began).thenApply(buried -> notHeld);
            }
            boolean held = own == null || line.before(claim.holder()) == null;
            return remove(claim, own, delay, began)
                    .thenCompose(done -> done
                            ? done(held ? ReleaseResult.Released.INSTANCE : new ReleaseResult.NotHeld(null))
                            : releaseUnknown(claim, began));
        });
    }

    /** Leaves a tombstone, and deletes the claim if it arrived before that. */
    private CompletableFuture<Boolean> bury(Claim claim, long began) {
        return tombstones.lease(env.left(began)).thenCompose(lease -> {
            Op tombstone = Op.put(
                    env.keys().tombstone(claim.lockName(), claim.holder()),
                    ByteSequence.EMPTY,
                    PutOption.builder().withLeaseId(lease).build());
            return read(claim, List.of(tombstone), began).thenCompose(line -> {
                Entry own = line.of(claim.holder());
                return own == null
                        ? CompletableFuture.completedFuture(true)
                        : remove(claim, own, delayOf(line, claim), began);
            });
        });
    }

    private CompletableFuture<Line> read(Claim claim, List<Op> first, long began) {
        List<Op> ops = new ArrayList<>(first);
        ops.addAll(LineReads.whole(env.keys(), claim.lockName()));
        return env.wire()
                .txn(List.of(), ops, List.of(), env.left(began))
                .thenApply(answer -> LineReads.line(answer.getGetResponses(), 0));
    }

    /** False if the claim changed meanwhile: its keys may be another's by now. */
    private CompletableFuture<Boolean> remove(Claim claim, @Nullable Entry own, @Nullable Delay delay, long began) {
        List<Cmp> same = new ArrayList<>();
        List<Op> deletes = new ArrayList<>();
        if (own != null) {
            same.add(isStill(own));
            deletes.add(Op.delete(own.key(), DeleteOption.DEFAULT));
        }
        if (delay != null) {
            same.add(new Cmp(delay.key(), Cmp.Op.EQUAL, CmpTarget.value(Delay.value(claim))));
            deletes.add(Op.delete(delay.key(), DeleteOption.DEFAULT));
        }
        return env.wire().txn(same, deletes, List.of(), env.left(began)).thenApply(TxnResponse::isSucceeded);
    }

    /** Deletes the key of a claim whose TTL is over; its lock-delay stays. */
    CompletableFuture<TxnResponse> removeExpired(Place place, long nanos) {
        return env.wire()
                .txn(
                        List.of(place.isStillThere()),
                        List.of(Op.delete(place.key, DeleteOption.DEFAULT)),
                        List.of(),
                        nanos);
    }

    /** Deletes the lock-delay of a claim. */
    CompletableFuture<TxnResponse> removeDelay(Place place, long nanos) {
        return env.wire()
                .txn(
                        List.of(place.isStillDelaying()),
                        List.of(Op.delete(place.delayKey, DeleteOption.DEFAULT)),
                        List.of(),
                        nanos);
    }

    /**
     * L2: deletes the keys on this lease that no claim of ours owns. They are from requests whose outcome nobody knew,
     * and would stay for as long as the lease is kept alive for others.
     */
    CompletableFuture<?> sweep(EtcdSession session) {
        return env.wire()
                .timeToLive(session.id(), true, env.ioNanos())
                .thenCompose(answer -> {
                    List<Op> reads = answer.getKeys().stream()
                            .filter(key -> env.keys().isPlace(key) && !isOwned(key))
                            .limit(Keeping.BATCH)
                            .<Op>map(key -> Op.get(key, GetOption.DEFAULT))
                            .toList();
                    return reads.isEmpty()
                            ? CompletableFuture.completedFuture(List.<GetResponse>of())
                            : env.wire()
                                    .txn(List.of(), reads, List.of(), env.ioNanos())
                                    .thenApply(TxnResponse::getGetResponses);
                })
                .thenAccept(found -> found.stream()
                        .flatMap(read -> read.getKvs().stream())
                        .map(Entry::of)
                        .flatMap(Stream::ofNullable)
                        .filter(entry -> env.book().of(entry.holder()) == null)
                        .forEach(entry -> env.wire()
                                .txn(
                                        List.of(isStill(entry)),
                                        List.of(Op.delete(entry.key(), DeleteOption.DEFAULT)),
                                        List.of(),
                                        env.ioNanos())));
    }

    private boolean isOwned(ByteSequence key) {
        return env.book().all().stream().anyMatch(place -> place.key.equals(key));
    }

    static Cmp isStill(Entry entry) {
        return new Cmp(entry.key(), Cmp.Op.EQUAL, CmpTarget.createRevision(entry.createRevision()));
    }

    private static @Nullable Delay delayOf(Line line, Claim claim) {
        return line.delays().stream()
                .filter(delay -> delay.holder().equals(claim.holder()))
                .findFirst()
                .orElse(null);
    }

    private @Nullable Holder firstHolder(Line line) {
        List<Entry> holders = line.holders();
        return holders.isEmpty()
                ? null
                : holders.get(0).asHolder(env.tokens(), holders.get(0).ttl());
    }

    private static CompletableFuture<ReleaseResult> done(ReleaseResult result) {
        return CompletableFuture.completedFuture(result);
    }
}
