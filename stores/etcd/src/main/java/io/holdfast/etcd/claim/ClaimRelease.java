package io.holdfast.etcd.claim;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.PutOption;
import io.holdfast.etcd.claim.KeyClaim.Phase;
import io.holdfast.etcd.client.Deadline;
import io.holdfast.etcd.client.EtcdCalls;
import io.holdfast.etcd.line.Entry;
import io.holdfast.etcd.line.KeySpace;
import io.holdfast.etcd.line.Line;
import io.holdfast.etcd.line.LineReads;
import io.holdfast.etcd.line.LockDelay;
import io.holdfast.etcd.line.Tokens;
import io.holdfast.etcd.session.TombstoneLease;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ReleaseResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Releases and cancels claims: deletes the key and the lock-delay. A claim that etcd does not know leaves a tombstone,
 * so that a request for it that arrives later puts no key (L1).
 */
final class ClaimRelease {
    private final EtcdCalls calls;
    private final KeySpace keys;
    private final Tokens tokens;
    private final ClaimRegistry registry;
    private final TombstoneLease tombstones;

    ClaimRelease(EtcdCalls calls, KeySpace keys, Tokens tokens, ClaimRegistry registry, TombstoneLease tombstones) {
        this.calls = calls;
        this.keys = keys;
        this.tokens = tokens;
        this.registry = registry;
        this.tombstones = tombstones;
    }

    /** Releases or cancels a claim, in any phase. */
    CompletableFuture<ReleaseResult> release(Claim claim) {
        KeyClaim known = registry.of(claim);
        KeyClaim affected = known == null ? registry.doubtful(claim) : known;
        Phase was = withdraw(claim);
        return delete(claim, known, was).whenComplete((result, failure) -> {
            if (affected == null) {
                return;
            }
            if (failure == null) {
                registry.keyGone(affected);
            } else {
                registry.doubt(affected);
                if (was != null && was != Phase.ASKING) {
                    affected.lease().sweepNext();
                }
            }
        });
    }

    /** Ends the claim for this client; returns the phase that it was in, or null if this client does not know it. */
    @Nullable
    Phase withdraw(Claim claim) {
        KeyClaim known = registry.of(claim);
        if (known == null) {
            if (!registry.contains(claim.holder())) {
                registry.ended(claim.holder());
            }
            return null;
        }
        Phase was = known.end();
        registry.remove(known);
        known.unwatch();
        return was;
    }

    /**
     * Deletes the claim's key and its lock-delay. If this client knows that the claim {@code was} holding or waiting,
     * it knows the key, and deletes it without a read.
     */
    CompletableFuture<ReleaseResult> delete(Claim claim, @Nullable KeyClaim known, @Nullable Phase was) {
        Deadline by = calls.deadline();
        if (known == null || (was != Phase.HELD && was != Phase.WAITING)) {
            return deleteByHolder(claim, by);
        }
        return calls.txn(claim.lockName(), List.of(known.isStillThere()), known.deletion(), by)
                .thenCompose(answer -> answer.txn().isSucceeded()
                        ? CompletableFuture.completedFuture(result(was == Phase.HELD))
                        : deleteByHolder(claim, by));
    }

    /** Looks for the claim by its holder id, and deletes what it finds. */
    private CompletableFuture<ReleaseResult> deleteByHolder(Claim claim, Deadline by) {
        return read(claim, List.of(), by).thenCompose(line -> {
            Entry own = line.of(claim.holder());
            LockDelay delay = line.delayOf(claim.holder());
            if (own == null && delay == null) {
                ReleaseResult notHeld = new ReleaseResult.NotHeld(line.firstHolder(tokens));
                return putTombstone(claim, by).thenApply(done -> notHeld);
            }
            boolean held = own == null || line.before(claim.holder()) == null;
            return delete(claim, own, delay, by)
                    .thenCompose(
                            done -> done ? CompletableFuture.completedFuture(result(held)) : deleteByHolder(claim, by));
        });
    }

    /** Puts a tombstone, and deletes the claim if it arrived before the tombstone. */
    private CompletableFuture<Boolean> putTombstone(Claim claim, Deadline by) {
        return tombstones.id(by).thenCompose(lease -> {
            Op tombstone = Op.put(
                    keys.tombstone(claim.lockName(), claim.holder()),
                    ByteSequence.EMPTY,
                    PutOption.builder().withLeaseId(lease).build());
            return read(claim, List.of(tombstone), by).thenCompose(line -> {
                Entry own = line.of(claim.holder());
                return own == null
                        ? CompletableFuture.completedFuture(true)
                        : delete(claim, own, line.delayOf(claim.holder()), by);
            });
        });
    }

    private CompletableFuture<Line> read(Claim claim, List<Op> first, Deadline by) {
        List<Op> steps = new ArrayList<>(first);
        steps.addAll(LineReads.whole(keys, claim.lockName()));
        return calls.txn(List.of(), steps, by)
                .thenApply(answer -> LineReads.line(claim.lockName(), answer.getGetResponses()));
    }

    /** False if the claim changed meanwhile: a later claim may use its keys by now. */
    private CompletableFuture<Boolean> delete(
            Claim claim, @Nullable Entry own, @Nullable LockDelay delay, Deadline by) {
        List<Cmp> same = new ArrayList<>();
        List<Op> deletes = new ArrayList<>();
        if (own != null) {
            same.add(own.isStillThere());
            deletes.add(Op.delete(own.key(), DeleteOption.DEFAULT));
        }
        if (delay != null) {
            same.add(new Cmp(delay.key(), Cmp.Op.EQUAL, CmpTarget.value(LockDelay.value(claim))));
            deletes.add(Op.delete(delay.key(), DeleteOption.DEFAULT));
        }
        return calls.txn(same, deletes, by).thenApply(TxnResponse::isSucceeded);
    }

    private static ReleaseResult result(boolean held) {
        return held ? ReleaseResult.Released.INSTANCE : new ReleaseResult.NotHeld(null);
    }
}
