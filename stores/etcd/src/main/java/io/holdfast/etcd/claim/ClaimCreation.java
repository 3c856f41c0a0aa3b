package io.holdfast.etcd.claim;

import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import io.holdfast.StoreUnavailableException;
import io.holdfast.etcd.client.Deadline;
import io.holdfast.etcd.client.EtcdCalls;
import io.holdfast.etcd.client.Failures;
import io.holdfast.etcd.client.TxnAnswer;
import io.holdfast.etcd.line.Entry;
import io.holdfast.etcd.line.KeySpace;
import io.holdfast.etcd.line.Line;
import io.holdfast.etcd.line.LineReads;
import io.holdfast.etcd.session.EtcdLease;
import io.holdfast.etcd.session.EtcdLeases;
import io.holdfast.spi.Claim;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Puts a claim at the end of the line: one transaction puts its key and reads the claims before it.
 *
 * <p>A repeated transaction finds the claim's key and changes nothing (S4). A tombstone stops a transaction that
 * arrives after the release of its claim (S6, L1).
 */
final class ClaimCreation {
    /**
     * What the transaction found.
     *
     * @param first whether the claim is first in line and no lock-delay is open; {@code line} is not read then
     * @param revision the revision of the store at which {@code line} was read
     * @param line the part of the line that decides about the claim; null if a tombstone stopped it
     * @param front the front of the line, for answers to users
     * @param released whether the claim that was replaced in the same transaction held
     */
    record Created(boolean first, long revision, @Nullable Line line, Line front, boolean released) {
        /** What the claim waits for; null if it is first. Only if {@code line} is not null. */
        Line.@Nullable Obstacle obstacle(KeyClaim claim) {
            return first ? null : Objects.requireNonNull(line).before(claim.claim.holder());
        }
    }

    private final EtcdCalls calls;
    private final KeySpace keys;
    private final EtcdLeases leases;

    ClaimCreation(EtcdCalls calls, KeySpace keys, EtcdLeases leases) {
        this.calls = calls;
        this.keys = keys;
        this.leases = leases;
    }

    /** Puts the claim's key; deletes the key of {@code replaced} in the same transaction. */
    CompletableFuture<Created> create(KeyClaim claim, @Nullable KeyClaim replaced, Deadline by) {
        return create(claim, replaced, by, true);
    }

    private CompletableFuture<Created> create(
            KeyClaim claim, @Nullable KeyClaim replaced, Deadline by, boolean mayRepeat) {
        return leases.forClaims(claim.claim.ttl()).thenCompose(lease -> {
            claim.putOn(lease);
            boolean usable = lease.use();
            return (usable ? put(claim, lease, replaced, by) : leaseEnded()).exceptionallyCompose(failure -> {
                if (!usable || Failures.leaseGone(failure)) {
                    leases.forget(lease);
                    if (mayRepeat) {
                        return create(claim, replaced, by, false);
                    }
                }
                return CompletableFuture.failedFuture(usable ? settled(claim, lease, failure) : failure);
            });
        });
    }

    private CompletableFuture<Created> leaseEnded() {
        return CompletableFuture.failedFuture(new StoreUnavailableException(
                calls.where() + ": the etcd lease of this client has ended", false, null));
    }

    /** If the key may be there, the outcome is unknown and the lease is swept. */
    private static Throwable settled(KeyClaim claim, EtcdLease lease, Throwable failure) {
        if (claim.createRevision() == 0 && !Failures.outcomeUnknown(failure)) {
            return failure;
        }
        lease.sweepNext();
        return Failures.unknown(failure);
    }

    private CompletableFuture<Created> put(KeyClaim claim, EtcdLease lease, @Nullable KeyClaim replaced, Deadline by) {
        String name = claim.claim.lockName();
        List<Cmp> absent = List.of(
                new Cmp(claim.key, Cmp.Op.EQUAL, CmpTarget.createRevision(0)),
                new Cmp(keys.tombstone(name, claim.claim.holder()), Cmp.Op.EQUAL, CmpTarget.createRevision(0)));
        List<Op> steps = new ArrayList<>();
        if (replaced != null) {
            steps.add(Op.txn(
                    new Cmp[] {replaced.isStillThere()}, replaced.deletion().toArray(Op[]::new), new Op[0]));
        }
        steps.add(Op.put(
                claim.key,
                Entry.value(claim.claim),
                PutOption.builder().withLeaseId(lease.id()).build()));
        steps.addAll(LineReads.head(keys, name, claim.claim.mode()));
        return calls.txn(name, absent, steps, by)
                .thenCompose(answer -> answer.txn().isSucceeded() ? created(claim, answer, by) : found(claim, by));
    }

    private CompletableFuture<Created> created(KeyClaim claim, TxnAnswer answer, Deadline by) {
        TxnResponse txn = answer.txn();
        long revision = answer.revision();
        claim.createdAt(revision);
        boolean released = txn.getTxnResponses().stream().anyMatch(TxnResponse::isSucceeded);
        if (LineReads.isFirst(txn.getGetResponses(), claim.key)) {
            return CompletableFuture.completedFuture(new Created(true, revision, Line.EMPTY, Line.EMPTY, released));
        }
        String name = claim.claim.lockName();
        Line front = LineReads.line(name, txn.getGetResponses());
        if (front.of(claim.claim.holder()) != null) {
            return CompletableFuture.completedFuture(new Created(false, revision, front, front, released));
        }
        // Two or more claims are before it: read which is the last of them.
        List<Op> reads = LineReads.upTo(keys, name, claim.claim.mode(), revision);
        return calls.read(reads, by).thenApply(second -> {
            Line line = LineReads.line(name, second.getGetResponses());
            boolean there = line.of(claim.claim.holder()) != null;
            return new Created(false, second.getHeader().getRevision(), there ? line : null, front, released);
        });
    }

    /** The key or its tombstone was there already. */
    private CompletableFuture<Created> found(KeyClaim claim, Deadline by) {
        Claim wanted = claim.claim;
        return calls.read(LineReads.whole(keys, wanted.lockName()), by).thenApply(answer -> {
            Line line = LineReads.line(wanted.lockName(), answer.getGetResponses());
            Entry own = line.of(wanted.holder());
            if (own != null) {
                claim.createdAt(own.createRevision());
            }
            return new Created(false, answer.getHeader().getRevision(), own == null ? null : line, line, false);
        });
    }
}
