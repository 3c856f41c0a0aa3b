package io.holdfast.spi;

import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A store that decides who holds a lock: atomic verbs that never wait for a holder. This is pull mode; every store can
 * be used in it.
 *
 * <p>Every stage completes within {@link StoreInfo#ioTimeout()}, exceptionally with {@link
 * io.holdfast.StoreUnavailableException} if the store could not be asked or did not answer; its {@code
 * outcomeUnknown} is true unless the request certainly had no effect. Stages may complete on any thread. Thread-safe.
 *
 * <p>The clauses, which {@code testing/tck} tests by these ids:
 *
 * <ul>
 *   <li>[S1] A stale holder can neither renew nor release nor hurt the new holder: every verb compares the holder id.
 *   <li>[S2] At most one exclusive holder, or any number of shared ones, or {@code permits} permits. Modes exclude
 *       each other.
 *   <li>[S3] Tokens of one name strictly increase in grant order: over release, expiry, revocation, re-creation and
 *       whatever the clocks do; a grant reserves {@code span} of them. Without local need they stay near the clock.
 *   <li>[S4] A repeated request (same holder id) is answered as the first was and changes nothing.
 *   <li>[S5] Renewal extends only an unexpired, unrevoked grant of this holder id; it never creates and never revives
 *       (U10).
 *   <li>[S6] A release or cancel that finds nothing leaves a tombstone of the holder id for 10 s; a claim that meets
 *       its tombstone is refused and changes nothing (L1).
 *   <li>[S7] TTL and lock-delay are the claim's own; they never change another's.
 *   <li>[S8] After a lease that ended without release the name is closed to everyone for its lock-delay; the late
 *       release by its own holder id ends that early (U17).
 *   <li>[S9] Revocation refuses renewals, and opens the name at the end of the lease plus lock-delay, or at once
 *       ({@link Revocation#NOW}).
 *   <li>[S10] Names are compared byte by byte.
 *   <li>[S11] A store without a queue that refuses a claim with a {@linkplain Claim#pause() pause} notes the claim's
 *       client and pause for 2 s, apart from the lock's record, so that a renewal never waits for a note. A release
 *       answers with the longest pause noted by other clients. A note keeps no claim out (L21).
 *   <li>[S12] {@link #inspect} changes nothing: it takes no lock, creates nothing, and makes no claim fail (U31).
 *   <li>[S13] {@link #revoke} ends only what holds the name at that moment, and no other lock (U32).
 * </ul>
 */
public interface LockStore extends AutoCloseable {
    /** What the store publishes about itself. */
    StoreInfo info();

    /** Called once by the engine, before the first verb. */
    void attach(StoreContext context);

    /** Grants the lock if nothing is in the way (add-if-absent); else says what is. */
    CompletionStage<AcquireResult> tryAcquire(Claim claim);

    /** Extends grants, in one call where the store can; answers in the order of {@code claims}. */
    CompletionStage<List<RenewResult>> renew(List<Claim> claims);

    /** Releases by holder id (compare-and-delete). Also ends this holder's place in a queue and its lock-delay. */
    CompletionStage<ReleaseResult> release(Claim claim);

    /** Looks, without changing anything that matters. */
    CompletionStage<List<LockStatus>> inspect(LockQuery query);

    /** Takes a lock from its holders. */
    CompletionStage<RevokeResult> revoke(String lockName, Revocation how);

    /** Frees connections and threads. Grants stay: the engine has released what it wanted released. */
    @Override
    void close();
}
