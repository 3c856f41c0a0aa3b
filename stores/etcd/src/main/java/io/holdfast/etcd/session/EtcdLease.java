package io.holdfast.etcd.session;

import io.holdfast.Scheduler;
import io.holdfast.etcd.client.Deadline;
import io.holdfast.etcd.client.EtcdCalls;
import io.holdfast.etcd.client.Failures;
import io.holdfast.spi.StoreContext;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One etcd lease, which the claims of this client with about the same TTL share, and the timer that keeps it alive.
 *
 * <p>U3: a key on the lease is valid as long as the lease is. That is counted from <em>before the sending</em> of the
 * last answered keep-alive, whenever the key was put. Each keep-alive is one request with a deadline, and is repeated
 * if it is not answered. jetcd's own keep-alive stream is not used: it can stop without reporting a failure.
 *
 * <p>States: alive until a server answers that the lease does not exist, or until the lease is given back. A lease that
 * could not be kept alive for longer than its TTL is not ended here. Holders end by their own deadlines, and queued
 * claims keep their place if the servers were down for as long as the connection.
 */
public final class EtcdLease {
    /** Is told what becomes of a lease, on any thread. Does not block. */
    public interface Listener {
        /** A keep-alive was not answered; the first of a row. */
        void silent(EtcdLease lease);

        /** A keep-alive was answered after one was not. */
        void answered(EtcdLease lease);

        /** The lease does not exist any more, nor does any key that was on it. */
        void ended(EtcdLease lease);

        /** Keys may be on the lease that belong to no claim; delete them (L2). */
        void sweep(EtcdLease lease);

        /** Whether a claim uses the lease. */
        boolean inUse(EtcdLease lease);
    }

    private static final long SHORTEST_RETRY = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_RETRY = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LEAST_IDLE = TimeUnit.SECONDS.toNanos(10);

    private final EtcdCalls calls;
    private final StoreContext context;
    private final Listener listener;
    private final long id;
    private final long ttlNanos;

    // Guarded by this.
    private long aliveSince;
    private long usedAt;
    private boolean over;
    private boolean retiring;
    private boolean silent;
    private int sweeps;
    private final Set<EtcdLease> delayLeases = new HashSet<>();
    private @Nullable CompletableFuture<Boolean> underWay;
    private Scheduler.@Nullable Timer timer;

    /**
     * A lease that etcd has granted.
     *
     * @param grantedAt the client's clock before the request for the lease was sent
     * @param ttlSeconds the TTL that etcd granted, which may be longer than the one that was asked for
     */
    EtcdLease(EtcdCalls calls, StoreContext context, Listener listener, long id, long grantedAt, long ttlSeconds) {
        this.calls = calls;
        this.context = context;
        this.listener = listener;
        this.id = id;
        this.ttlNanos = TimeUnit.SECONDS.toNanos(ttlSeconds);
        this.aliveSince = grantedAt;
        this.usedAt = grantedAt;
    }

    /** etcd's number of the lease. */
    public long id() {
        return id;
    }

    /** The end of the lease on the client's clock, drift not subtracted. */
    public synchronized long validUntil() {
        return aliveSince + ttlNanos;
    }

    synchronized boolean isOver() {
        return over;
    }

    synchronized void start() {
        timerIn(ttlNanos / 3);
    }

    /**
     * A claim is about to put a key on the lease; {@link Listener#inUse} must already be true because of it. Sends a
     * keep-alive beside the claim's request if the last one is old. False if the lease has ended or is being given
     * back.
     */
    public boolean use() {
        long now = now();
        boolean aged;
        synchronized (this) {
            if (over || retiring) {
                return false;
            }
            usedAt = now;
            aged = now - aliveSince > ttlNanos / 10 && underWay == null;
        }
        if (aged) {
            keepAlive();
        }
        return true;
    }

    /**
     * The lock-delays of claims on this lease are on {@code delayLease}. That lease is kept alive before this one each
     * time, so that it always ends after this one by at least the lock-delay.
     */
    synchronized void outlivedBy(EtcdLease delayLease) {
        delayLeases.add(delayLease);
    }

    /** A request that may have put a key on this lease has an unknown outcome: the next keep-alives sweep it (L2). */
    public synchronized void sweepNext() {
        sweeps = 2;
    }

    /**
     * Keeps the lease alive; joins a request that is under way. Completes with true if the lease was kept alive, with
     * false if it does not exist, exceptionally if that is unknown.
     */
    public CompletableFuture<Boolean> keepAlive() {
        List<EtcdLease> first;
        CompletableFuture<Boolean> answer;
        synchronized (this) {
            if (over) {
                return CompletableFuture.completedFuture(false);
            }
            if (underWay != null) {
                return underWay;
            }
            answer = new CompletableFuture<>();
            underWay = answer;
            // A delay lease that has ended is unused, or the next renewal of its claims finds the lock-delay gone.
            delayLeases.removeIf(EtcdLease::isOver);
            first = List.copyOf(delayLeases);
        }
        CompletableFuture<?> ready = first.isEmpty()
                ? CompletableFuture.completedFuture(true)
                : CompletableFuture.allOf(
                        first.stream().map(EtcdLease::keepAlive).toArray(CompletableFuture[]::new));
        ready.thenCompose(kept -> send()).whenComplete((alive, failure) -> {
            settle(alive, failure);
            if (failure != null) {
                answer.completeExceptionally(Failures.unwrapped(failure));
            } else {
                answer.complete(alive);
            }
        });
        return answer;
    }

    /** Stops keeping it alive; etcd ends it when its TTL is over. */
    public synchronized void stop() {
        over = true;
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    /** Stops keeping it alive and ends it, with every key on it. */
    public CompletableFuture<Boolean> revoke() {
        stop();
        return calls.revoke(id);
    }

    private CompletableFuture<Boolean> send() {
        long sent = now();
        Deadline by = Deadline.after(Math.min(calls.ioNanos(), ttlNanos / 3));
        return calls.keepAlive(id, by).thenApply(seconds -> {
            if (seconds <= 0) {
                return false;
            }
            synchronized (this) {
                aliveSince = sent - aliveSince > 0 ? sent : aliveSince;
            }
            return true;
        });
    }

    private void settle(@Nullable Boolean alive, @Nullable Throwable failure) {
        boolean ended;
        boolean fellSilent;
        boolean answeredAgain;
        boolean sweep;
        synchronized (this) {
            underWay = null;
            ended = !over && alive != null && !alive;
            fellSilent = !over && failure != null && !silent;
            answeredAgain = failure == null && silent;
            silent = failure != null;
            sweep = !over && !ended && failure == null && sweeps > 0;
            if (sweep) {
                sweeps--;
            }
            if (ended) {
                stop();
            } else if (!over) {
                timerIn(failure == null ? aliveSince + ttlNanos / 3 - now() : retryPause());
            }
        }
        if (ended) {
            listener.ended(this);
        } else if (fellSilent) {
            listener.silent(this);
        } else if (answeredAgain) {
            listener.answered(this);
        }
        if (sweep) {
            listener.sweep(this);
        }
    }

    private long retryPause() {
        return Math.max(SHORTEST_RETRY, Math.min(ttlNanos / 20, LONGEST_RETRY));
    }

    private void tick() {
        if (calls.isClosed()) {
            stop();
        } else if (!retire()) {
            keepAlive();
        }
    }

    /** Gives the lease back if no claim has used it for long. */
    private boolean retire() {
        long now = now();
        synchronized (this) {
            boolean idle = sweeps == 0 && now - usedAt > Math.max(ttlNanos, LEAST_IDLE);
            if (over || !idle || listener.inUse(this)) {
                return over;
            }
            retiring = true;
        }
        // A claim whose use() returned true before that is seen by this second look; use() now returns false.
        if (listener.inUse(this)) {
            synchronized (this) {
                retiring = false;
            }
            return false;
        }
        stop();
        listener.ended(this);
        calls.revoke(id);
        return true;
    }

    /** Called under the monitor. */
    private void timerIn(long nanos) {
        if (timer != null) {
            timer.cancel();
        }
        timer = context.scheduler().schedule(this::tick, nanos);
    }

    private long now() {
        return context.ticker().nanos();
    }
}
