package io.holdfast.etcd;

import io.holdfast.Scheduler;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One etcd lease, on which all claims of this client with about the same TTL live, and the loop that keeps it alive.
 *
 * <p>U3: what lives on it is valid as long as it is, counted from <em>before the sending</em> of the last answered
 * keep-alive, whenever the claim itself was made. The loop is our own: each keep-alive is one request with a time
 * limit, and one that is not answered is repeated; jetcd's observer may fall silent without a word.
 *
 * <p>States: alive until a server says that the lease does not exist, or until it is retired. A lease that cannot be
 * renewed for longer than its TTL is not declared dead here: whoever relied on it knows its end by itself, and those
 * who wait in a queue keep their place if it turns out that the servers were as dead as the connection.
 */
final class EtcdSession {
    /** Hears what becomes of it. Any thread; quick. */
    interface Listener {
        /** A keep-alive was not answered; the first of a row. */
        void silent(EtcdSession session);

        /** A keep-alive was answered after one was not. */
        void answered(EtcdSession session);

        /** The lease does not exist any more, and nothing that lived on it. */
        void ended(EtcdSession session);

        /** Time to look for keys that nobody owns (L2). */
        void sweep(EtcdSession session);

        /** Whether anybody lives on it. */
        boolean inUse(EtcdSession session);
    }

    private static final long SHORTEST_RETRY = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_RETRY = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LEAST_IDLE = TimeUnit.SECONDS.toNanos(10);

    private final EtcdWire wire;
    private final Clock clock;
    private final Listener listener;
    private final long id;
    private final long ttlNanos;
    private final long ioNanos;

    // Guarded by this.
    private long aliveSince;
    private long usedAt;
    private boolean over;
    private boolean retiring;
    private boolean silent;
    private int sweeps;
    private final Set<EtcdSession> shadows = new HashSet<>();
    private @Nullable CompletableFuture<Boolean> underWay;
    private Scheduler.@Nullable Timer timer;

    /**
     * @param grantedAt the clock before the request for the lease was sent
     * @param ttlSeconds what etcd granted, which may be more than was asked for
     */
    EtcdSession(EtcdWire wire, Clock clock, Listener listener, long id, long grantedAt, long ttlSeconds, long ioNanos) {
        this.wire = wire;
        this.clock = clock;
        this.listener = listener;
        this.id = id;
        this.ttlNanos = TimeUnit.SECONDS.toNanos(ttlSeconds);
        this.ioNanos = ioNanos;
        this.aliveSince = grantedAt;
        this.usedAt = grantedAt;
    }

    long id() {
        return id;
    }

    /** The end of the lease on our clock, without drift. */
    synchronized long validUntil() {
        return aliveSince + ttlNanos;
    }

    synchronized boolean isOver() {
        return over;
    }

    synchronized void start() {
        timerIn(ttlNanos / 3);
    }

    /**
     * Somebody takes a place on it, having said so to the listener; refreshes it beside the request if it has aged. False
     * if it is too late for that: it is over, or being given back.
     */
    boolean use() {
        long now = clock.nanos();
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
     * Lock-delays of claims on this lease live on {@code shadow}. It is kept alive first each time, so that it always
     * ends after this one by at least the delay.
     */
    synchronized void shadowedBy(EtcdSession shadow) {
        shadows.add(shadow);
    }

    /** A request that may have put a key on this lease has an unknown outcome (L2). */
    synchronized void doubt() {
        sweeps = 2;
    }

    /**
     * Keeps it alive; joins a request that is under way. Completes with true if it was, with false if the lease does
     * not exist, exceptionally if nobody knows.
     */
    CompletableFuture<Boolean> keepAlive() {
        List<EtcdSession> first;
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
            // One that has ended has nobody on it, or its claims find their lock-delay gone at the next renewal.
            shadows.removeIf(EtcdSession::isOver);
            first = List.copyOf(shadows);
        }
        CompletableFuture<?> ready = first.isEmpty()
                ? CompletableFuture.completedFuture(true)
                : CompletableFuture.allOf(
                        first.stream().map(EtcdSession::keepAlive).toArray(CompletableFuture[]::new));
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

    /** Stops the loop; the lease runs out by itself. */
    synchronized void stop() {
        over = true;
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    /** Stops the loop and gives the lease back, with everything on it. */
    CompletableFuture<Boolean> revoke() {
        stop();
        return wire.revoke(id, ioNanos);
    }

    private CompletableFuture<Boolean> send() {
        long sent = clock.nanos();
        return wire.keepAlive(id, Math.min(ioNanos, ttlNanos / 3)).thenApply(seconds -> {
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
                timerIn(failure == null ? aliveSince + ttlNanos / 3 - clock.nanos() : retryPause());
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
        if (wire.isClosed()) {
            stop();
        } else if (!retire()) {
            keepAlive();
        }
    }

    /** Gives the lease back if nobody has lived on it for long. */
    private boolean retire() {
        long now = clock.nanos();
        synchronized (this) {
            boolean idle = sweeps == 0 && now - usedAt > Math.max(ttlNanos, LEAST_IDLE);
            if (over || !idle || listener.inUse(this)) {
                return over;
            }
            retiring = true;
        }
        // Whoever was let in before that has said so: the second look finds it. Nobody is let in after it.
        if (listener.inUse(this)) {
            synchronized (this) {
                retiring = false;
            }
            return false;
        }
        stop();
        listener.ended(this);
        wire.revoke(id, ioNanos);
        return true;
    }

    /** Under the monitor. */
    private void timerIn(long nanos) {
        if (timer != null) {
            timer.cancel();
        }
        timer = clock.after(nanos, this::tick);
    }
}
