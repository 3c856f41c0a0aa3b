package io.holdfast.engine.client;

import io.holdfast.LockStatus;
import io.holdfast.LossReason;
import io.holdfast.Revocation;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Exchanged;
import io.holdfast.spi.Granted;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.Queued;
import io.holdfast.spi.QueueingStore;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.Term;
import io.holdfast.spi.Ticket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One exclusive lock with a queue that answers at once, on the calling thread; and a log of what was sent. It is small
 * so that a model checker spends its time in the engine.
 */
final class InstantStore implements QueueingStore {
    private static final Refused HELD = new Refused(null, null, false, null);

    private record Place(Claim claim, CompletableFuture<Granted> granted) {}

    private final ArrayDeque<Place> queue = new ArrayDeque<>();
    private final List<String> log = new ArrayList<>();
    private @Nullable HolderId holder;
    private long token;

    @Override
    public StoreInfo info() {
        return StoreInfo.of("instant", "instant");
    }

    @Override
    public void attach(StoreContext context) {}

    @Override
    public synchronized CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        return CompletableFuture.completedFuture(holder == null ? grant(claim) : HELD);
    }

    @Override
    public synchronized CompletionStage<EnqueueResult> enqueue(Claim claim, Duration wait) {
        return CompletableFuture.completedFuture(join(claim));
    }

    @Override
    public CompletionStage<Exchanged> exchange(Claim held, Claim next, Duration wait) {
        Place pushed;
        Granted grant;
        Exchanged answer;
        synchronized (this) {
            log.add("release " + held.holder().low());
            boolean was = leave(held);
            pushed = was ? queue.poll() : null;
            grant = pushed == null ? null : grant(pushed.claim);
            answer = new Exchanged(was ? ReleaseResult.Released.INSTANCE : new ReleaseResult.NotHeld(null), join(next));
        }
        if (pushed != null && grant != null) {
            pushed.granted.complete(grant);
        }
        return CompletableFuture.completedFuture(answer);
    }

    @Override
    public synchronized CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        List<RenewResult> results = new ArrayList<>();
        for (Claim claim : claims) {
            log.add("renew " + claim.holder().low());
            results.add(
                    claim.holder().equals(holder)
                            ? new RenewResult.Renewed(new Term(0, Long.MAX_VALUE / 4))
                            : new RenewResult.Lost(LossReason.GONE));
        }
        return CompletableFuture.completedFuture(results);
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        Place pushed;
        Granted grant;
        boolean was;
        synchronized (this) {
            log.add("release " + claim.holder().low());
            was = leave(claim);
            pushed = was ? queue.poll() : null;
            grant = pushed == null ? null : grant(pushed.claim);
        }
        if (pushed != null && grant != null) {
            pushed.granted.complete(grant);
        }
        return CompletableFuture.completedFuture(
                was ? ReleaseResult.Released.INSTANCE : new ReleaseResult.NotHeld(null));
    }

    /** Whether the lock is neither held nor waited for. */
    synchronized boolean isIdle() {
        return holder == null && queue.isEmpty();
    }

    /** What was sent, in order. */
    synchronized List<String> log() {
        return List.copyOf(log);
    }

    @Override
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        return CompletableFuture.completedFuture(new RevokeResult.NotHeld());
    }

    @Override
    public void close() {}

    private boolean leave(Claim claim) {
        queue.removeIf(place -> place.claim.holder().equals(claim.holder()));
        boolean was = claim.holder().equals(holder);
        holder = was ? null : holder;
        return was;
    }

    private Granted grant(Claim claim) {
        holder = claim.holder();
        long first = token + 1;
        token += claim.span();
        return new Granted(first, claim.span(), new Term(0, Long.MAX_VALUE / 4));
    }

    private EnqueueResult join(Claim claim) {
        if (holder == null) {
            return grant(claim);
        }
        Place place = new Place(claim, new CompletableFuture<>());
        queue.add(place);
        return new Queued(new InstantTicket(place), HELD);
    }

    private final class InstantTicket implements Ticket {
        private final Place place;

        InstantTicket(Place place) {
            this.place = place;
        }

        @Override
        public CompletionStage<Granted> granted() {
            return place.granted;
        }

        @Override
        public CompletionStage<ReleaseResult> cancel() {
            return release(place.claim);
        }

        @Override
        public void extend(Duration wait) {}
    }
}
