package io.holdfast.redis;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Term;
import io.holdfast.spi.Ticket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A place in the queue of a lock. It is registered before the request is sent, because the push may overtake the reply
 * (L5).
 *
 * <p>U2: a pushed grant counts from {@code stillQueuedAt}, the sending of the last request about this claim that the
 * store answered with "queued": the store granted it after it had executed that request. It is not provisional if the
 * store has confirmed it meanwhile.
 */
final class RedisTicket implements Ticket {
    private final TicketBook book;
    private final Claim claim;
    private final String id;
    private final CompletableFuture<Granted> granted = new CompletableFuture<>();
    private long stillQueuedAt;
    private long waitEnds;
    private boolean queued;
    private boolean over;

    RedisTicket(TicketBook book, Claim claim, long sent, long waitEnds) {
        this.book = book;
        this.claim = claim;
        this.id = claim.holder().toString();
        this.stillQueuedAt = sent;
        this.waitEnds = waitEnds;
    }

    Claim claim() {
        return claim;
    }

    String id() {
        return id;
    }

    @Override
    public CompletionStage<Granted> granted() {
        return granted;
    }

    @Override
    public CompletionStage<ReleaseResult> cancel() {
        end();
        return book.cancel(this);
    }

    @Override
    public void extend(Duration wait) {
        book.extend(this, wait);
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

    /** True for the one caller who decides what becomes of this place. */
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

    static RuntimeException unwrapped(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof RuntimeException known ? known : new CompletionException(cause);
    }
}
