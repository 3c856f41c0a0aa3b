package io.holdfast.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
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
 * <p>The TTL of a claim is kept here, not by its etcd lease, which it shares: a claim that nobody renewed for its TTL
 * is EXPIRED and its key deleted by this client; if the client is dead, the lease does it. The holder believes in its
 * lease for less than that by the drift.
 *
 * <p>Fields are guarded by the object's monitor, which is a leaf.
 */
final class Place {
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
    private @Nullable EtcdSession session;
    private @Nullable EtcdSession delaySession;
    private long createRevision;
    private boolean revoked;
    private boolean busy;
    private boolean again;
    private boolean readFirst;
    private boolean slotFreed;
    private Watch.@Nullable Watcher watcher;
    private @Nullable ByteSequence watched;

    /** The end of the wait, of the TTL or of the lock-delay, by phase. */
    private long endsAt;

    /** When to look next whether it is first (WAITING) or to watch the own key (HELD). */
    private long lookAt;

    Place(Claim claim, KeySpace keys, String client, int slot, long endsAt) {
        this.claim = claim;
        this.slot = slot;
        this.key = keys.place(claim.lockName(), client, slot);
        this.delayKey = keys.delay(claim.lockName(), client, slot);
        this.endsAt = endsAt;
    }

    synchronized Phase phase() {
        return phase;
    }

    synchronized boolean is(Phase value) {
        return phase == value;
    }

    synchronized void livesOn(EtcdSession value) {
        session = value;
    }

    synchronized void delayLivesOn(EtcdSession value) {
        delaySession = value;
    }

    synchronized boolean livesOnEither(EtcdSession value) {
        return session == value || delaySession == value;
    }

    synchronized boolean placeLivesOn(EtcdSession value) {
        return session == value;
    }

    synchronized EtcdSession session() {
        EtcdSession known = session;
        if (known == null) {
            throw new IllegalStateException("a claim that was sent lives on a lease");
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

    synchronized long lookAt() {
        return lookAt;
    }

    synchronized void lookAt(long nanos) {
        lookAt = nanos;
    }

    synchronized boolean isRevoked() {
        return revoked;
    }

    synchronized void revoke() {
        revoked = true;
    }

    /** Goes from one phase to another; false if it is not in the first (any more). */
    synchronized boolean move(Phase from, Phase to) {
        boolean moved = phase == from;
        if (moved) {
            phase = to;
        }
        return moved;
    }

    /** ASKING or WAITING becomes HELD until {@code end}; false if it was withdrawn meanwhile. */
    synchronized boolean hold(long end, long look) {
        if (phase != Phase.ASKING && phase != Phase.WAITING) {
            return phase == Phase.HELD;
        }
        phase = Phase.HELD;
        endsAt = end;
        lookAt = look;
        return true;
    }

    /** A renewal was answered: true if it still holds and now does until {@code end}. */
    synchronized boolean extend(long end) {
        if (phase != Phase.HELD || revoked) {
            return false;
        }
        endsAt = end;
        return true;
    }

    /** Ends it, whatever it was; says what it was. */
    synchronized Phase end() {
        Phase was = phase;
        phase = Phase.OVER;
        return was;
    }

    /** True for the one who may look now; the others are remembered, and it looks once more for them. */
    synchronized boolean startLook() {
        if (busy) {
            again = true;
            return false;
        }
        busy = true;
        return true;
    }

    /** The look is over; true if another is wanted. */
    synchronized boolean endLook() {
        busy = false;
        boolean wanted = again;
        again = false;
        return wanted;
    }

    /**
     * Takes a watcher of {@code target}. Gives back what is to be closed: the one it replaces or, if the phase is over
     * in which it would be of use, this one.
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

    /** Nothing is watched any more; gives back what is to be closed. */
    synchronized Watch.@Nullable Watcher unwatch() {
        Watch.Watcher before = watcher;
        watcher = null;
        watched = null;
        return before;
    }

    /** Whether this is watched, or anything if it is null. */
    synchronized boolean watches(@Nullable ByteSequence target) {
        return watcher != null && (target == null || target.equals(watched));
    }

    /** Events of the own key may have been missed: read it before it is watched again. */
    synchronized void missed() {
        readFirst = true;
    }

    synchronized boolean mayHaveMissed() {
        return readFirst;
    }

    /**
     * In a transaction: the key is still this claim's. Every deletion asks for it: one that was delayed would otherwise
     * hit whoever has the slot by then.
     */
    Cmp isStillThere() {
        return new Cmp(key, Cmp.Op.EQUAL, CmpTarget.createRevision(createRevision()));
    }

    /** In a transaction: the announced lock-delay is still this claim's. */
    Cmp isStillDelaying() {
        return new Cmp(delayKey, Cmp.Op.EQUAL, CmpTarget.value(Delay.value(claim)));
    }

    /** True once: for the one who gives the slot back. */
    synchronized boolean freeSlot() {
        boolean first = !slotFreed;
        slotFreed = true;
        return first;
    }

    void lost(String why, @Nullable Throwable cause) {
        granted.completeExceptionally(new StoreUnavailableException(
                "the place of " + claim.label() + " in the queue of lock '" + claim.lockName() + "' is gone: " + why,
                false,
                cause));
    }
}
