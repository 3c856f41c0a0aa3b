package io.holdfast.redis.claim;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Term;
import io.holdfast.spi.Ticket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A place in the queue of a lock. Thread-safe.
 *
 * <p>U2: a pushed grant counts from {@code stillQueuedAt}, the sending of the last request about this claim that the
 * store answered with "queued": the store granted it after it had executed that request.
 */
final class RedisTicket implements Ticket {
    private final TicketRegistry registry;
    private final Claim claim;
    private final CompletableFuture<Granted> granted = new CompletableFuture<>();
    // Guarded by this.
    private long stillQueuedAt;
    private long waitEnds;
    private boolean queued;
    private boolean over;

    RedisTicket(TicketRegistry registry, Claim claim, long sent, long waitEnds) {
        this.registry = registry;
        this.claim = claim;
        this.stillQueuedAt = sent;
        this.waitEnds = waitEnds;
    }

    Claim claim() {
        return claim;
    }

    @Override
    public CompletionStage<Granted> granted() {
        return granted;
    }

    @Override
    public CompletionStage<ReleaseResult> cancel() {
        end();
        return registry.cancel(this);
    }

    @Override
    public void extend(Duration wait) {
        registry.extend(this, wait);
    }

    /** The store answered that this claim waits, to a request sent at {@code sent}. */
    synchronized void stillQueued(long sent) {
        queued = true;
        if (sent - stillQueuedAt > 0) {
            stillQueuedAt = sent;
        }
    }

    synchronized boolean isQueued() {
        return queued && !over;
    }

    synchronized long waitEnds() {
        return waitEnds;
    }

    synchronized void waitUntil(long ends) {
        waitEnds = ends;
    }

    synchronized Term pushed(Duration length) {
        return Term.of(stillQueuedAt, length);
    }

    /** True for the one caller that decides what becomes of this place. */
    synchronized boolean end() {
        boolean first = !over;
        over = true;
        return first;
    }

    void deliver(Granted grant) {
        granted.complete(grant);
    }

    /**
     * The place is gone. With {@code outcomeUnknown} the store may have made a grant of it: the engine then releases the
     * claim by its holder id until the store has answered (L16).
     */
    void placeLost(String why, boolean outcomeUnknown, @Nullable Throwable cause) {
        granted.completeExceptionally(new StoreUnavailableException(
                "the place of " + claim.label() + " in the queue of lock '" + claim.lockName() + "' is gone: " + why,
                outcomeUnknown,
                cause));
    }
}
