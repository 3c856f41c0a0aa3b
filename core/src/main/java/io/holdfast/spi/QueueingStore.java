package io.holdfast.spi;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * A store with a queue of its own that pushes the lock to the first live waiter.
 *
 * <ul>
 *   <li>[Q1] Live waiters are served in the order of their requests; a newcomer never overtakes one, nor does {@code
 *       tryAcquire}. A waiting exclusive claim is not starved by shared ones that came later.
 *   <li>[Q2] A cancelled or released claim leaves the queue without a trace; a grant that races the cancel is released.
 *   <li>[Q3] A dead waiter delays a live one by at most 2 s (ZooKeeper, etcd: one session timeout).
 *   <li>[Q4] An expired lease is handed on without anybody asking, at most 2 s late.
 *   <li>[Q5] {@code exchange} never leaves both claims holding, and the new one waits behind those that waited before.
 * </ul>
 */
public interface QueueingStore extends LockStore {
    /** Grants the lock, or puts the claim at the end of the queue, for {@code wait} at most. */
    CompletionStage<EnqueueResult> enqueue(Claim claim, Duration wait);

    /**
     * Releases {@code held} and enqueues {@code next} behind everyone who waits, in one step (U5, U15). If the outcome
     * is unknown the caller releases both.
     */
    CompletionStage<Exchanged> exchange(Claim held, Claim next, Duration wait);
}
