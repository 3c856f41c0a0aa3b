package io.holdfast;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The handle of a held lock. Ownership is this object, not a thread: it may be passed on, checked and closed anywhere.
 *
 * <p>A lease is believed for less time than the store keeps it, counted on this process's monotonic clock from before
 * the request was sent. When that time ends without an answered renewal the lease is lost, whether or not any thread
 * or packet was there to notice; {@link #state()} and {@link #ensureValid()} know it without I/O.
 *
 * <p>Exclusion ends with the lease. What protects the data afterwards is the {@link #sequencer()}, shown to a guard at
 * the resource.
 *
 * <p>A lease that is neither closed nor reachable any more stops being renewed, is logged and ends with its TTL. What was
 * registered with {@link #onJeopardy} and {@link #onLost} is kept by the client and is told of it all the same. A lease
 * that one of its own callbacks refers to stays reachable, and is renewed until it is closed.
 *
 * <p>Thread-safe.
 */
public interface Lease extends AutoCloseable {
    /** The name of the lock. */
    String lockName();

    /** How it is held. */
    Mode mode();

    /** The fencing token: larger than that of every earlier grant of this name. */
    long token();

    /** The token made portable, for guards. */
    Sequencer sequencer();

    /** Where the lease is in its life. Never blocks. */
    LeaseState state();

    /** How long this lease is still valid if no renewal is answered any more; zero once it is lost or released. */
    Duration remaining();

    /**
     * Returns if the lease is valid, without I/O.
     *
     * @throws LeaseLostException if it is lost, or if the machine was suspended and no renewal was answered since
     * @throws IllegalStateException if it was released
     */
    void ensureValid();

    /**
     * Runs {@code action} on the client's executor when the lease is lost; at once if it is lost already. The client keeps
     * the action, whatever becomes of this object. Whatever it throws is logged.
     */
    Lease onLost(Consumer<? super Loss> action);

    /**
     * Runs {@code action} on the client's executor each time the lease enters JEOPARDY, with what is left of it; kept as
     * {@link #onLost}. Whatever it throws is logged.
     */
    Lease onJeopardy(Consumer<? super Duration> action);

    /**
     * Unbinds the lease from the thread that acquired it, which then is not re-entrant any more, nor interrupted if the
     * lease is lost.
     */
    Lease detach();

    /**
     * Releases the lock and tells the truth about it. Idempotent: later calls return the first outcome. Waits for the
     * store's answer, at most its I/O timeout, also on an interrupted thread. A re-entrant lease releases with the
     * last of its handles; the others answer {@link ReleaseOutcome#RELEASED} while the lock stays held.
     */
    ReleaseOutcome release();

    /** As {@link #release()}, without blocking. The future completes on the client's executor, never exceptionally. */
    CompletableFuture<ReleaseOutcome> releaseAsync();

    /** {@link #release()}; a lease that was lost is logged once, not thrown. */
    @Override
    void close();
}
