package io.holdfast.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.kv.DeleteResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.PutOption;
import io.holdfast.Holder;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.ReleaseResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** How a claim leaves the line: by release, cancel or expiry, and what makes sure that nothing of it stays behind. */
final class Leaving {
    private final Env env;
    private final Entering entering;
    private final Tombstones tombstones;

    Leaving(Env env, Entering entering) {
        this.env = env;
        this.entering = entering;
        this.tombstones = new Tombstones(env);
    }

    /**
     * Deletes the claim's key, and its lock-delay. {@code was} is what this client knows of the claim: one that holds or
     * waits is deleted without looking. A claim that was not there leaves a tombstone.
     */
    CompletableFuture<ReleaseResult> release(Claim claim, Place.@Nullable Phase was, long began) {
        if (was != Place.Phase.HELD && was != Place.Phase.WAITING) {
            return releaseUnknown(claim, began);
        }
        return env.wire()
                .txn(List.of(), entering.removal(claim), List.of(), env.left(began))
                .thenCompose(answer -> {
                    if (deleted(answer) == 0) {
                        return releaseUnknown(claim, began);
                    }
                    boolean held = was == Place.Phase.HELD;
                    return done(held ? ReleaseResult.Released.INSTANCE : new ReleaseResult.NotHeld(null));
                });
    }

    /** Reads the line before the key goes: it tells whether the claim held, and who holds if it did not. */
    private CompletableFuture<ReleaseResult> releaseUnknown(Claim claim, long began) {
        ByteSequence key = env.keys().place(claim.lockName(), claim.holder());
        List<Op> whole = LineReads.whole(env.keys(), claim.lockName());
        List<Op> remove = new ArrayList<>(whole);
        remove.addAll(entering.removal(claim));
        List<Op> look = new ArrayList<>(whole);
        if (!claim.lockDelay().isZero()) {
            look.add(Op.delete(env.keys().delay(claim.lockName(), claim.holder()), DeleteOption.DEFAULT));
        }
        return env.wire()
                .txn(List.of(exists(key)), remove, look, env.left(began))
                .thenCompose(answer -> {
                    Line line = LineReads.line(answer.getGetResponses(), 0);
                    boolean held = answer.isSucceeded()
                            ? line.of(claim.holder()) != null && line.before(claim.holder()) == null
                            : deleted(answer) > 0;
                    if (held) {
                        return done(ReleaseResult.Released.INSTANCE);
                    }
                    ReleaseResult notHeld = new ReleaseResult.NotHeld(answer.isSucceeded() ? null : firstHolder(line));
                    return answer.isSucceeded()
                            ? done(notHeld)
                            : bury(claim, key, began).thenApply(buried -> notHeld);
                });
    }

    /** Deletes the key of a claim whose TTL is over; its lock-delay stays. */
    CompletableFuture<TxnResponse> removeExpired(Place place, long nanos) {
        return env.wire().txn(List.of(), List.of(Op.delete(place.key, DeleteOption.DEFAULT)), List.of(), nanos);
    }

    /** Deletes the lock-delay of a claim. */
    CompletableFuture<TxnResponse> removeDelay(Claim claim, long nanos) {
        ByteSequence key = env.keys().delay(claim.lockName(), claim.holder());
        return env.wire().txn(List.of(), List.of(Op.delete(key, DeleteOption.DEFAULT)), List.of(), nanos);
    }

    /**
     * L2: deletes the keys on this lease that no claim of ours owns. They are from requests whose outcome nobody knew,
     * and would stay for as long as the lease is kept alive for others.
     */
    CompletableFuture<Integer> sweep(EtcdSession session) {
        return env.wire().timeToLive(session.id(), true, env.ioNanos()).thenCompose(answer -> {
            List<Op> deletes = new ArrayList<>();
            for (ByteSequence key : answer.getKeys()) {
                HolderId holder = KeySpace.holderIn(key);
                if (env.keys().isPlace(key) && holder != null && env.book().of(holder) == null) {
                    deletes.add(Op.delete(key, DeleteOption.DEFAULT));
                }
            }
            List<Op> some = deletes.subList(0, Math.min(deletes.size(), Keeping.BATCH));
            return some.isEmpty()
                    ? CompletableFuture.completedFuture(0)
                    : env.wire().txn(List.of(), some, List.of(), env.ioNanos()).thenApply(done -> some.size());
        });
    }

    private @Nullable Holder firstHolder(Line line) {
        List<Entry> holders = line.holders();
        return holders.isEmpty()
                ? null
                : holders.get(0).asHolder(env.tokens(), holders.get(0).ttl());
    }

    /** Leaves a tombstone, or, if the claim arrived meanwhile, deletes it. */
    private CompletableFuture<TxnResponse> bury(Claim claim, ByteSequence key, long began) {
        return tombstones
                .lease(env.left(began))
                .thenCompose(lease -> env.wire()
                        .txn(
                                List.of(exists(key)),
                                entering.removal(claim),
                                List.of(Op.put(
                                        env.keys().tombstone(claim.lockName(), claim.holder()),
                                        ByteSequence.EMPTY,
                                        PutOption.builder().withLeaseId(lease).build())),
                                env.left(began)));
    }

    private static long deleted(TxnResponse answer) {
        return answer.getDeleteResponses().stream()
                .mapToLong(DeleteResponse::getDeleted)
                .sum();
    }

    private static Cmp exists(ByteSequence key) {
        return new Cmp(key, Cmp.Op.GREATER, CmpTarget.createRevision(0));
    }

    private static CompletableFuture<ReleaseResult> done(ReleaseResult result) {
        return CompletableFuture.completedFuture(result);
    }
}
