package io.holdfast.etcd.claim;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.holdfast.StoreUnavailableException;
import io.holdfast.etcd.line.KeySpace;
import io.holdfast.etcd.line.LockDelay;
import io.holdfast.etcd.session.EtcdLease;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Term;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A claim of this client that has, or may have, a key in etcd.
 *
 * <pre>
 *   ASKING ──queued──▶ WAITING ──first in line──▶ HELD ──TTL over──▶ EXPIRED ──key deleted──▶ DELAYING ──▶ OVER
 *      └────────────────────granted────────────────▲        └── release, cancel, loss, from anywhere ──────▶ OVER
 * </pre>
 *
 * <p>This client counts the TTL of the claim; the etcd lease is shared with other claims and may last longer. A claim
 * that was not renewed for its TTL is EXPIRED, and this client deletes its key. If the client is dead, the etcd lease
 * ends and etcd deletes the key. The holder's lease expires earlier than that by the drift.
 *
 * <p>Fields are guarded by the object's monitor. No other monitor is taken while it is held.
 */
final class KeyClaim {
    enum Phase {
        ASKING,
        WAITING,
        HELD,
        EXPIRED,
        DELAYING,
        OVER
    }

    final Claim claim;
    final int slot;
    final ByteSequence key;
    final ByteSequence delayKey;
    final CompletableFuture<Granted> granted = new CompletableFuture<>();

    private Phase phase = Phase.ASKING;
    private @Nullable EtcdLease lease;
    private @Nullable EtcdLease delayLease;
    private long createRevision;
    private boolean revoked;
    private boolean checking;
    private boolean checkAgain;
    private boolean watchBroke;
    private boolean slotFreed;
    private Watch.@Nullable Watcher watcher;
    private @Nullable ByteSequence watched;

    /** The end of the wait, of the TTL or of the lock-delay, by phase. */
    private long endsAt;

    /**
     * The next time at which the timer does something for the claim before it ends: check whether it is first
     * (WAITING), watch the own key (HELD), delete the key again (EXPIRED).
     */
    private long dueAt;

    KeyClaim(Claim claim, KeySpace keys, String client, int slot, long endsAt) {
        this.claim = claim;
        this.slot = slot;
        this.key = keys.claim(claim.lockName(), client, slot);
        this.delayKey = keys.delay(claim.lockName(), client, slot);
        this.endsAt = endsAt;
    }

    synchronized Phase phase() {
        return phase;
    }

    synchronized boolean is(Phase value) {
        return phase == value;
    }

    synchronized void putOn(EtcdLease value) {
        lease = value;
    }

    synchronized void delayPutOn(EtcdLease value) {
        delayLease = value;
    }

    /** Whether its key or its lock-delay is on this lease. */
    synchronized boolean uses(EtcdLease value) {
        return lease == value || delayLease == value;
    }

    synchronized boolean keyIsOn(EtcdLease value) {
        return lease == value;
    }

    synchronized EtcdLease lease() {
        EtcdLease known = lease;
        if (known == null) {
            throw new IllegalStateException("the claim was not sent yet, so it has no etcd lease");
        }
        return known;
    }

    synchronized long createRevision() {
        return createRevision;
    }

    synchronized void createdAt(long revision) {
        createRevision = revision;
    }

    synchronized long endsAt() {
        return endsAt;
    }

    synchronized void endsAt(long nanos) {
        endsAt = nanos;
    }

    synchronized long dueAt() {
        return dueAt;
    }

    synchronized void dueAt(long nanos) {
        dueAt = nanos;
    }

    synchronized boolean isRevoked() {
        return revoked;
    }

    synchronized void revoke() {
        revoked = true;
    }

    /** Goes from one phase to another; false if it is not in the first. */
    synchronized boolean move(Phase from, Phase to) {
        boolean moved = phase == from;
        if (moved) {
            phase = to;
        }
        return moved;
    }

    /** ASKING or WAITING becomes HELD until {@code end}; false if the claim was withdrawn meanwhile. */
    synchronized boolean hold(long end, long due) {
        if (phase != Phase.ASKING && phase != Phase.WAITING) {
            return phase == Phase.HELD;
        }
        phase = Phase.HELD;
        endsAt = end;
        dueAt = due;
        return true;
    }

    /** A renewal was answered: true if the claim still holds, and now does until {@code end}. */
    synchronized boolean extend(long end) {
        if (phase != Phase.HELD || revoked) {
            return false;
        }
        endsAt = end;
        return true;
    }

    /** Ends it in any phase; returns the phase that it was in. */
    synchronized Phase end() {
        Phase was = phase;
        phase = Phase.OVER;
        return was;
    }

    /**
     * U3: the term of a claim that holds, as a request sent at {@code sent} found. It ends with the claim's TTL or with
     * its etcd lease, whichever is first; the lease is counted from before its last answered keep-alive.
     */
    Term term(long sent) {
        long nanos = Math.min(endsAt() - sent, lease().validUntil() - sent);
        return new Term(sent, Math.max(1, nanos));
    }

    /** True if the caller may check the line now. Otherwise a check is under way, and is repeated when it ends. */
    synchronized boolean startCheck() {
        if (checking) {
            checkAgain = true;
            return false;
        }
        checking = true;
        return true;
    }

    /** The check has ended; true if it is to be repeated. */
    synchronized boolean endCheck() {
        checking = false;
        boolean wanted = checkAgain;
        checkAgain = false;
        return wanted;
    }

    /**
     * Keeps a watcher of {@code target}. Returns the watcher to close: the one before it, or {@code value} itself if
     * the phase in which it is of use is over.
     */
    synchronized Watch.@Nullable Watcher watch(ByteSequence target, Watch.Watcher value, Phase during) {
        if (phase != during) {
            return value;
        }
        Watch.Watcher before = watcher;
        watcher = value;
        watched = target;
        return before;
    }

    /** Closes the watcher, if there is one. */
    void unwatch() {
        Watch.Watcher before;
        synchronized (this) {
            before = watcher;
            watcher = null;
            watched = null;
        }
        close(before);
    }

    static void close(Watch.@Nullable Watcher watcher) {
        if (watcher != null) {
            watcher.close();
        }
    }

    synchronized boolean watches(ByteSequence target) {
        return watcher != null && target.equals(watched);
    }

    synchronized boolean watchesAny() {
        return watcher != null;
    }

    /** Events of the own key may have been missed: the key is read before it is watched again. */
    synchronized void watchBroke() {
        watchBroke = true;
    }

    synchronized boolean mayHaveMissedEvents() {
        return watchBroke;
    }

    /**
     * In a transaction: the key is still this claim's. Every deletion has this condition: without it, a delayed
     * deletion would delete the key of a later claim in the same slot.
     */
    Cmp isStillThere() {
        return new Cmp(key, Cmp.Op.EQUAL, CmpTarget.createRevision(createRevision()));
    }

    /** In a transaction: the announced lock-delay is still this claim's. */
    Cmp isStillDelaying() {
        return new Cmp(delayKey, Cmp.Op.EQUAL, CmpTarget.value(LockDelay.value(claim)));
    }

    /** Deletes the key, and the lock-delay if the claim announced one. */
    List<Op> deletion() {
        Op ofKey = Op.delete(key, DeleteOption.DEFAULT);
        return hasDelay() ? List.of(ofKey, Op.delete(delayKey, DeleteOption.DEFAULT)) : List.of(ofKey);
    }

    boolean hasDelay() {
        return !claim.lockDelay().isZero();
    }

    /** True once: for the caller that frees the slot. */
    synchronized boolean freeSlot() {
        boolean first = !slotFreed;
        slotFreed = true;
        return first;
    }

    /** Fails its ticket. */
    void lost(String why) {
        granted.completeExceptionally(new StoreUnavailableException(
                "the place of " + claim.label() + " in the queue of lock '" + claim.lockName() + "' is gone: " + why,
                false,
                null));
    }
}
