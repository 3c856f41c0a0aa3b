package io.holdfast.etcd;

import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.PutOption;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * How a claim enters the line: one transaction puts its key and reads what stands before it.
 *
 * <p>The key is the holder id, so a repeated transaction finds it and changes nothing (S4); a tombstone stops a
 * transaction that comes after its own release (S6, L1).
 */
final class Entering {
    /**
     * What was found.
     *
     * @param first whether the claim holds, so that the line need not be looked at
     * @param revision the revision of the store at which {@code line} was read
     * @param line as much of the line as decides about the claim; null if a tombstone stopped it
     * @param front the front of the line, for people
     * @param released whether the claim that was given up in the same step held
     */
    record Entered(boolean first, long revision, @Nullable Line line, Line front, boolean released) {}

    private final Env env;

    Entering(Env env) {
        this.env = env;
    }

    /** Puts the claim at the end of the line; with {@code given}, the key of that one is deleted in the same step. */
    CompletableFuture<Entered> enter(Place place, @Nullable Place given, long began) {
        return enter(place, given, began, true);
    }

    private CompletableFuture<Entered> enter(Place place, @Nullable Place given, long began, boolean mayRepeat) {
        Claim claim = place.claim;
        return env.sessions().of(claim.ttl()).thenCompose(session -> {
            place.livesOn(session);
            if (!session.use()) {
                env.sessions().forget(session);
                return mayRepeat
                        ? enter(place, given, began, false)
                        : CompletableFuture.failedFuture(new StoreUnavailableException(
                                env.wire().where() + ": the etcd lease of this client has ended", false, null));
            }
            return put(place, session, given, began)
                    .exceptionallyCompose(failure -> failed(place, session, given, began, mayRepeat, failure));
        });
    }

    private CompletableFuture<Entered> failed(
            Place place, EtcdSession session, @Nullable Place given, long began, boolean mayRepeat, Throwable failure) {
        if (Failures.leaseGone(failure)) {
            env.sessions().forget(session);
            if (mayRepeat) {
                return enter(place, given, began, false);
            }
        }
        boolean created = place.createRevision() != 0;
        boolean unknown =
                !(Failures.unwrapped(failure) instanceof StoreUnavailableException known) || known.outcomeUnknown();
        if (created || unknown) {
            session.doubt();
            return CompletableFuture.failedFuture(Env.unknown(failure));
        }
        return CompletableFuture.failedFuture(failure);
    }

    private CompletableFuture<Entered> put(Place place, EtcdSession session, @Nullable Place given, long began) {
        Claim claim = place.claim;
        List<Cmp> absent = List.of(
                new Cmp(place.key, Cmp.Op.EQUAL, CmpTarget.createRevision(0)),
                new Cmp(
                        env.keys().tombstone(claim.lockName(), claim.holder()),
                        Cmp.Op.EQUAL,
                        CmpTarget.createRevision(0)));
        List<Op> put = new ArrayList<>();
        if (given != null) {
            put.add(Op.txn(new Cmp[] {given.isStillThere()}, removal(given).toArray(Op[]::new), new Op[0]));
        }
        put.add(Op.put(
                place.key,
                Entry.value(claim),
                PutOption.builder().withLeaseId(session.id()).build()));
        put.addAll(LineReads.head(env.keys(), claim.lockName(), claim.mode()));
        return env.wire()
                .txn(claim.lockName(), absent, put, env.left(claim, began))
                .thenCompose(
                        answer -> answer.txn().isSucceeded() ? entered(place, answer, began) : found(place, began));
    }

    private CompletableFuture<Entered> entered(Place place, JointTxns.Answer joint, long began) {
        Claim claim = place.claim;
        TxnResponse answer = joint.txn();
        long revision = joint.revision();
        place.createdAt(revision);
        boolean released = answer.getTxnResponses().stream().anyMatch(TxnResponse::isSucceeded);
        if (LineReads.isFirst(answer.getGetResponses(), place.key)) {
            return CompletableFuture.completedFuture(new Entered(true, revision, Line.EMPTY, Line.EMPTY, released));
        }
        Line front = LineReads.line(answer.getGetResponses(), 0);
        if (front.of(claim.holder()) != null) {
            return CompletableFuture.completedFuture(new Entered(false, revision, front, front, released));
        }
        // Two are before it, or more: who is the last of them?
        List<Op> reads = LineReads.upTo(env.keys(), claim.lockName(), claim.mode(), revision);
        return env.wire()
                .txn(List.of(), reads, List.of(), env.left(claim, began))
                .thenApply(second -> {
                    Line line = LineReads.line(second.getGetResponses(), 0);
                    boolean there = line.of(claim.holder()) != null;
                    return new Entered(false, second.getHeader().getRevision(), there ? line : null, front, released);
                });
    }

    /** The key or its tombstone was there already. */
    private CompletableFuture<Entered> found(Place place, long began) {
        Claim claim = place.claim;
        return env.wire()
                .txn(List.of(), LineReads.whole(env.keys(), claim.lockName()), List.of(), env.left(claim, began))
                .thenApply(answer -> {
                    long revision = answer.getHeader().getRevision();
                    Line line = LineReads.line(answer.getGetResponses(), 0);
                    Entry own = line.of(claim.holder());
                    if (own != null) {
                        place.createdAt(own.createRevision());
                    }
                    return new Entered(false, revision, own == null ? null : line, line, false);
                });
    }

    /** Deletes a claim's key and the lock-delay it announced. */
    static List<Op> removal(Place place) {
        Op key = Op.delete(place.key, DeleteOption.DEFAULT);
        return place.claim.lockDelay().isZero()
                ? List.of(key)
                : List.of(key, Op.delete(place.delayKey, DeleteOption.DEFAULT));
    }

    /**
     * Announces the lock-delay of a claim that holds, before anybody is told that it does (L10). Completes with false
     * if the claim is gone.
     */
    CompletableFuture<Boolean> announceDelay(Place place, long began) {
        Claim claim = place.claim;
        if (claim.lockDelay().isZero()) {
            return CompletableFuture.completedFuture(true);
        }
        return env.sessions()
                .shadowOf(place.session(), claim.ttl(), claim.lockDelay())
                .thenCompose(shadow -> {
                    place.delayLivesOn(shadow);
                    if (!shadow.use()) {
                        env.sessions().forget(shadow);
                        return CompletableFuture.failedFuture(new StoreUnavailableException(
                                env.wire().where() + ": the etcd lease of lock-delays has ended", true, null));
                    }
                    return env.wire()
                            .txn(
                                    List.of(place.isStillThere()),
                                    List.of(Op.put(
                                            place.delayKey,
                                            Delay.value(claim),
                                            PutOption.builder()
                                                    .withLeaseId(shadow.id())
                                                    .build())),
                                    List.of(),
                                    env.left(claim, began))
                            .whenComplete((done, failure) -> {
                                if (failure != null && Failures.leaseGone(failure)) {
                                    env.sessions().forget(shadow);
                                }
                            });
                })
                .thenApply(TxnResponse::isSucceeded);
    }
}
