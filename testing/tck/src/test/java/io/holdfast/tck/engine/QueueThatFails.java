package io.holdfast.tck.engine;

import io.holdfast.LockStatus;
import io.holdfast.Revocation;
import io.holdfast.StoreUnavailableException;
import io.holdfast.memory.MemoryLockStore;
import io.holdfast.memory.MemorySpace;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Exchanged;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.Queued;
import io.holdfast.spi.QueueingStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.StoreSignals;
import io.holdfast.spi.Ticket;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The memory store's queue with failures inside the client that no network can cause. */
final class QueueThatFails implements QueueingStore {
    /** Thrown by the next enqueue. */
    volatile @Nullable Throwable nextEnqueue;

    /** Whether pushed grants reach this client as a lost place of which nothing is known. */
    volatile boolean confirmationsFail;

    /** Whether places cannot be given up: the store cannot be reached. */
    volatile boolean cut;

    final AtomicInteger renewals = new AtomicInteger();
    private final MemoryLockStore memory;
    private volatile @Nullable StoreSignals signals;

    QueueThatFails(MemorySpace space) {
        memory = new MemoryLockStore(space);
    }

    StoreSignals signals() {
        return Objects.requireNonNull(signals);
    }

    @Override
    public StoreInfo info() {
        return memory.info();
    }

    @Override
    public void attach(StoreContext context) {
        signals = context.signals();
        memory.attach(context);
    }

    @Override
    public CompletionStage<EnqueueResult> enqueue(Claim claim, Duration wait) {
        Throwable thrown = nextEnqueue;
        if (thrown != null) {
            nextEnqueue = null;
            QueueThatFails.<RuntimeException>sneak(thrown);
        }
        return memory.enqueue(claim, wait)
                .thenApply(result -> result instanceof Queued queued
                        ? new Queued(new Place(queued.ticket()), queued.because())
                        : result);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> void sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @Override
    public CompletionStage<Exchanged> exchange(Claim held, Claim next, Duration wait) {
        return memory.exchange(held, next, wait);
    }

    @Override
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        return memory.tryAcquire(claim);
    }

    @Override
    public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        renewals.incrementAndGet();
        return memory.renew(claims);
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        return memory.release(claim);
    }

    @Override
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        return memory.inspect(query);
    }

    @Override
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        return memory.revoke(lockName, how);
    }

    @Override
    public void close() {
        memory.close();
    }

    private final class Place implements Ticket {
        private final Ticket ticket;

        Place(Ticket ticket) {
            this.ticket = ticket;
        }

        @Override
        public CompletionStage<Granted> granted() {
            return ticket.granted()
                    .thenCompose(grant -> confirmationsFail
                            ? CompletableFuture.failedFuture(
                                    new StoreUnavailableException("the confirmation was cut off", true, null))
                            : CompletableFuture.completedFuture(grant));
        }

        @Override
        public CompletionStage<ReleaseResult> cancel() {
            return cut
                    ? CompletableFuture.failedFuture(
                            new StoreUnavailableException("there is no connection at the moment", false, null))
                    : ticket.cancel();
        }

        @Override
        public void extend(Duration wait) {
            ticket.extend(wait);
        }
    }
}
