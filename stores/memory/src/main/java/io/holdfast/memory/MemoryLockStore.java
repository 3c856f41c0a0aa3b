package io.holdfast.memory;

import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.Scheduler;
import io.holdfast.Sequencer;
import io.holdfast.StoreUnavailableException;
import io.holdfast.Ticker;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Exchanged;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.MarkResult;
import io.holdfast.spi.MarkingStore;
import io.holdfast.spi.Queued;
import io.holdfast.spi.QueueingStore;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.Term;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One client of a {@link MemorySpace}. Every verb decides at once, on the calling thread, and answers with a completed
 * stage; after {@link #close()} every verb fails, and the claims that waited through this store have left the queue.
 *
 * <p><b>Pushed grants (U2).</b> In other stores a pushed grant counts from the last request that was answered "still
 * queued", because the message may have travelled for any time. Here no message travels: waiter and store are in one
 * JVM. The term of a pushed grant counts from the reading that the granting thread took immediately before the
 * transition that granted it, on the waiter's ticker, and is a full one at once ({@code provisional} is false).
 *
 * <p>Tokens count microseconds: a name that is granted more than a million times a second for long runs ahead of the
 * clock (U6 bounds what spans add, not what grants need).
 */
public final class MemoryLockStore implements QueueingStore, MarkingStore {
    private final MemorySpace space;
    private final StoreInfo info;
    private volatile @Nullable StoreContext context;
    private volatile boolean open = true;

    /** A client of {@code space}. */
    public MemoryLockStore(MemorySpace space) {
        this(space, "memory:");
    }

    MemoryLockStore(MemorySpace space, String location) {
        this.space = space;
        this.info = StoreInfo.of("memory", location);
    }

    @Override
    public StoreInfo info() {
        return info;
    }

    @Override
    public void attach(StoreContext value) {
        context = value;
    }

    @Override
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        if (!open) {
            return closed();
        }
        long sent = ticker().nanos();
        Decision decision = space.stripe(claim.lockName())
                .run(claim.lockName(), (table, now, wall) -> table.tryAcquire(claim, now, wall));
        return CompletableFuture.completedFuture(
                decision instanceof Decision.Grant grant ? granted(grant, sent) : because(decision));
    }

    @Override
    public CompletionStage<EnqueueResult> enqueue(Claim claim, Duration wait) {
        if (!open) {
            return closed();
        }
        long sent = ticker().nanos();
        Stripe stripe = space.stripe(claim.lockName());
        // Most requests find the lock free; those that do not take a second step, which decides anew.
        Decision first = stripe.run(claim.lockName(), (table, now, wall) -> table.tryAcquire(claim, now, wall));
        if (first instanceof Decision.Grant grant) {
            return CompletableFuture.completedFuture(granted(grant, sent));
        }
        Stripe.Answer answer = stripe.runQueued(
                this, claim, (table, now, wall) -> table.enqueue(claim, now + Nanos.of(wait), now, wall));
        try {
            return CompletableFuture.completedFuture(taken(claim, answer, sent));
        } catch (StoreUnavailableException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public CompletionStage<Exchanged> exchange(Claim held, Claim next, Duration wait) {
        if (!held.lockName().equals(next.lockName())) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "exchange is within one lock, not '" + held.lockName() + "' for '" + next.lockName() + "'"));
        }
        if (!open) {
            return closed();
        }
        long sent = ticker().nanos();
        ReleaseResult[] released = new ReleaseResult[1];
        Stripe.Answer answer = space.stripe(next.lockName()).runQueued(this, next, (table, now, wall) -> {
            LockTable.Swap swap = table.exchange(held, next, now + Nanos.of(wait), now, wall);
            released[0] = swap.released();
            return swap.next();
        });
        try {
            return CompletableFuture.completedFuture(new Exchanged(released[0], taken(next, answer, sent)));
        } catch (StoreUnavailableException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        if (!open) {
            return closed();
        }
        List<RenewResult> results = new ArrayList<>(claims.size());
        for (Claim claim : claims) {
            long sent = ticker().nanos();
            Decision decision = space.stripe(claim.lockName())
                    .run(claim.lockName(), (table, now, wall) -> table.renew(claim, now, wall));
            results.add(
                    decision instanceof Decision.Grant grant
                            ? new RenewResult.Renewed(new Term(sent, grant.nanos()))
                            : new RenewResult.Lost(((Decision.Lost) decision).reason()));
        }
        return CompletableFuture.completedFuture(results);
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        return open
                ? CompletableFuture.completedFuture(
                        space.stripe(claim.lockName()).release(claim))
                : closed();
    }

    @Override
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        return open ? CompletableFuture.completedFuture(space.inspect(query)) : closed();
    }

    @Override
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        return open
                ? CompletableFuture.completedFuture(space.stripe(lockName)
                        .run(lockName, (table, now, wall) -> table.revoke(lockName, how, now, wall)))
                : closed();
    }

    @Override
    public CompletionStage<MarkResult> admit(String resource, Sequencer sequencer) {
        if (!open) {
            return closed();
        }
        try {
            return CompletableFuture.completedFuture(space.admit(resource, sequencer));
        } catch (IllegalArgumentException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public void close() {
        if (open) {
            open = false;
            space.leave(this);
        }
    }

    boolean isOpen() {
        return open;
    }

    Ticker ticker() {
        return attached().ticker();
    }

    Scheduler.Timer schedule(Runnable task, long delayNanos) {
        return attached().scheduler().schedule(task, delayNanos);
    }

    private static EnqueueResult taken(Claim claim, Stripe.Answer answer, long sent) {
        if (answer.decision() instanceof Decision.Grant grant) {
            return granted(grant, sent);
        }
        MemoryTicket ticket = answer.ticket();
        if (ticket != null) {
            return new Queued(ticket, because(answer.decision()));
        }
        throw new StoreUnavailableException(
                "the request of " + claim.label() + " for lock '" + claim.lockName()
                        + "' was withdrawn before it arrived; ask again with a new holder id",
                false,
                null);
    }

    private StoreContext attached() {
        StoreContext attached = context;
        if (attached == null) {
            throw new IllegalStateException("this store is not attached to a client: call attach first");
        }
        return attached;
    }

    private <T> CompletionStage<T> closed() {
        return CompletableFuture.failedFuture(
                new StoreUnavailableException("the store " + info.location() + " is closed", false, null));
    }

    private static Granted granted(Decision.Grant grant, long sent) {
        return new Granted(grant.token(), grant.span(), new Term(sent, grant.nanos()));
    }

    private static Refused because(Decision decision) {
        if (decision instanceof Decision.Refusal refusal) {
            return refusal.because();
        }
        if (decision instanceof Decision.Waiting waiting) {
            return waiting.because();
        }
        return ((Decision.Withdrawn) decision).because();
    }
}
