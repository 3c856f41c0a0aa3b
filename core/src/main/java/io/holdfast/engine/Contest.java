package io.holdfast.engine;

import io.holdfast.Scheduler;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Queued;
import io.holdfast.spi.QueueingStore;
import io.holdfast.spi.Refused;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Ticket;
import io.holdfast.spi.WatchableStore;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One client's contention for one name at the store, on behalf of the waiter at the head of the local queue.
 *
 * <pre>
 *   ASKING ──refused──▶ PAUSING ──pause over, or a wake──▶ ASKING        (pull, watch)
 *   ASKING ──queued───▶ QUEUED  ──ticket granted──▶ OVER                 (queue)
 *   ASKING ──granted──▶ OVER,   or CONFIRMING first if little of a pushed grant is left (L3)
 * </pre>
 *
 * <p>The three ways to wait differ only in what follows a refusal: a queueing store does not refuse but queues; a
 * watchable one pauses for long and is woken; any other pauses for a random while (S).
 *
 * <ul>
 *   <li>I1: every field is guarded by the queue's monitor; the store is called outside of it.
 *   <li>I2: every ask has a fresh holder id. An answer counts only if it is about the current claim and the contest is
 *       not over; any other grant is released, any other place cancelled (U15).
 *   <li>I3: after an unknown outcome the claim is released before another ask is sent.
 *   <li>I4: the contest belongs to the queue, not to its waiter: who gives up is replaced by the next one whom the
 *       claim serves as well (L9).
 * </ul>
 */
final class Contest {
    enum Phase {
        ASKING,
        CONFIRMING,
        QUEUED,
        PAUSING,
        OVER
    }

    /** Less than this left of a provisional grant: confirm it before anybody relies on it. */
    private static final long CONFIRM_BELOW = 200_000_000;

    /** How long a watched name is not asked about without a hint. */
    private static final long WATCHED_PAUSE = 1_000_000_000;

    private static final long LONGEST_PAUSE = 1_000_000_000;

    private final NameQueue queue;
    private final Env env;

    // Guarded by the queue.
    Waiter waiter;
    Phase phase = Phase.ASKING;
    private @Nullable Claim claim;
    private @Nullable Ticket ticket;
    private Scheduler.@Nullable Timer pause;
    private WatchableStore.@Nullable Watch watch;
    private boolean woken;
    private int failures;
    private long askedNanos;
    private long askedWall;
    private @Nullable Refused refusal;
    private @Nullable Throwable failure;

    Contest(NameQueue queue, Env env, Waiter waiter) {
        this.queue = queue;
        this.env = env;
        this.waiter = waiter;
        waiter.contest = this;
    }

    @Nullable
    Refused refusal() {
        return refusal;
    }

    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Asks the store for the lock. */
    void ask(boolean mayBlock) {
        Claim asked;
        long wait;
        Request request;
        synchronized (queue) {
            if (phase != Phase.ASKING) {
                return;
            }
            asked = newClaim();
            request = waiter.request;
            wait = Math.max(0, waiter.deadline - askedNanos);
        }
        if (env.events.any) {
            env.events.tell(listener -> listener.onAttempt(request.lockName(), request.mode()));
        }
        QueueingStore queueing = env.queueing;
        if (queueing != null && !request.isTry()) {
            Duration longest = Duration.ofNanos(wait);
            env.call(
                    mayBlock,
                    () -> queueing.enqueue(asked, longest),
                    (result, failed) -> enqueued(asked, result, failed));
        } else {
            env.call(mayBlock, () -> env.store.tryAcquire(asked), (result, failed) -> answered(asked, result, failed));
        }
    }

    /** Under the monitor: the claim of the next ask. */
    Claim newClaim() {
        woken = false;
        if (pause != null) {
            pause.cancel();
            pause = null;
        }
        askedNanos = env.ticker.nanos();
        askedWall = env.ticker.wallMicros();
        Claim fresh = env.claim(waiter.request, queue.spanWanted(waiter.request));
        claim = fresh;
        return fresh;
    }

    /** The answer of a store without a queue, or to a try. */
    private void answered(Claim about, @Nullable AcquireResult result, @Nullable Throwable failed) {
        if (result instanceof Granted grant) {
            granted(about, grant);
        } else if (result instanceof Refused refused) {
            refused(about, refused);
        } else {
            failed(about, failed);
        }
    }

    /** The answer of a store with a queue. */
    void enqueued(Claim about, @Nullable EnqueueResult result, @Nullable Throwable failed) {
        if (result instanceof Granted grant) {
            granted(about, grant);
        } else if (result instanceof Queued place) {
            queued(about, place);
        } else {
            failed(about, failed);
        }
    }

    private void granted(Claim about, Granted grant) {
        NameQueue.Delivery delivery = null;
        boolean confirm = false;
        boolean late = false;
        synchronized (queue) {
            if (!current(about)) {
                delivery = NameQueue.Delivery.NONE;
            } else {
                long now = env.ticker.nanos();
                long left = Hold.deadline(about, grant.term()) - now;
                if (grant.provisional() && left < CONFIRM_BELOW && phase != Phase.CONFIRMING) {
                    phase = Phase.CONFIRMING;
                    confirm = true;
                } else if (left <= 0) {
                    late = true;
                } else {
                    end();
                    delivery = queue.establish(this, about, grant, now, askedNanos, askedWall);
                }
            }
        }
        if (delivery == NameQueue.Delivery.NONE) {
            queue.late.release(about);
        } else if (confirm) {
            confirm(about, grant);
        } else if (late) {
            queue.late.release(about);
            failed(
                    about,
                    new StoreUnavailableException(
                            "the grant of lock '" + about.lockName() + "' arrived after its TTL had ended",
                            false,
                            null));
        } else if (delivery != null) {
            delivery.carryOut();
        }
    }

    /** Renews a pushed grant of which too little is left, before it is given to anybody. */
    private void confirm(Claim about, Granted grant) {
        env.call(false, () -> env.store.renew(List.of(about)), (results, failed) -> {
            if (results != null && !results.isEmpty() && results.get(0) instanceof RenewResult.Renewed renewed) {
                granted(about, new Granted(grant.token(), grant.span(), renewed.term()));
            } else {
                queue.late.release(about);
                failed(
                        about,
                        new StoreUnavailableException(
                                "the pushed grant of lock '" + about.lockName() + "' could not be confirmed",
                                false,
                                failed));
            }
        });
    }

    private void queued(Claim about, Queued place) {
        boolean wanted;
        boolean timeUp = false;
        synchronized (queue) {
            wanted = current(about);
            if (wanted) {
                phase = Phase.QUEUED;
                ticket = place.ticket();
                refusal = place.because();
                failure = null;
                failures = 0;
                timeUp = waiter.lastAsk;
            }
        }
        if (!wanted) {
            cancel(about, place.ticket());
            return;
        }
        tellRefused(place.because());
        place.ticket().granted().whenComplete((grant, failed) -> enqueued(about, grant, failed));
        if (timeUp) {
            queue.giveUp(waiter);
        }
    }

    private void refused(Claim about, Refused refused) {
        NameQueue.Delivery delivery = null;
        boolean askAgain = false;
        synchronized (queue) {
            if (!current(about)) {
                return;
            }
            refusal = refused;
            failure = null;
            failures = 0;
            if (waiter.request.isTry()) {
                end();
                delivery = queue.failed(this, Waiter.REFUSED);
            } else if (waiter.lastAsk || waiter.deadline - env.ticker.nanos() <= 0) {
                end();
                delivery = queue.failed(this, queue.timeout(waiter));
            } else if (woken) {
                askAgain = true;
            } else {
                pauseFor(refusalPause(refused));
            }
        }
        tellRefused(refused);
        if (delivery != null) {
            delivery.carryOut();
        } else if (askAgain) {
            ask(false);
        } else {
            watchIfPossible();
        }
    }

    private void failed(Claim about, @Nullable Throwable cause) {
        Throwable why = cause == null ? new StoreUnavailableException("the store answered nothing", true, null) : cause;
        boolean unavailable = why instanceof StoreUnavailableException;
        if (!unavailable || ((StoreUnavailableException) why).outcomeUnknown()) {
            queue.late.release(about);
        }
        NameQueue.Delivery delivery = null;
        synchronized (queue) {
            if (!current(about)) {
                return;
            }
            failure = why;
            ticket = null;
            if (!unavailable || waiter.lastAsk || waiter.deadline - env.ticker.nanos() <= 0) {
                end();
                delivery = queue.failed(this, why);
            } else {
                pauseFor(Math.min(env.pauseNanos() << Math.min(failures++, 6), LONGEST_PAUSE));
            }
        }
        if (delivery != null) {
            delivery.carryOut();
        }
    }

    /** Under the monitor: waits before the next ask, but not beyond the wait. */
    void pauseFor(long nanos) {
        phase = Phase.PAUSING;
        long left = waiter.deadline - env.ticker.nanos();
        pause = env.scheduler.schedule(this::wake, Math.max(0, Math.min(nanos, left)));
    }

    private long refusalPause(Refused refused) {
        Duration worthwhile = refused.retryAfter();
        long atLeast = worthwhile == null ? 0 : worthwhile.toNanos();
        if (env.watchable != null) {
            Duration remaining = refused.remaining();
            long expiry = remaining == null ? WATCHED_PAUSE : remaining.toNanos() + env.pauseNanos();
            return Math.max(Math.min(expiry, WATCHED_PAUSE), atLeast);
        }
        return Math.max(env.pauseNanos(), atLeast);
    }

    private void watchIfPossible() {
        WatchableStore watchable = env.watchable;
        if (watchable == null || watch != null) {
            return;
        }
        WatchableStore.Watch opened = watchable.watch(queue.name, this::wake);
        boolean needless;
        synchronized (queue) {
            needless = phase == Phase.OVER || watch != null;
            if (!needless) {
                watch = opened;
            }
        }
        if (needless) {
            opened.close();
        } else {
            // A release between the refusal and the watch would go unnoticed.
            wake();
        }
    }

    /** The pause is over, or the store hinted that the name may be free. */
    private void wake() {
        boolean askNow;
        synchronized (queue) {
            woken |= phase == Phase.ASKING;
            askNow = resume();
        }
        if (askNow) {
            ask(false);
        }
    }

    /** Under the monitor: whether an answer about this claim still counts; matched by holder id (U15). */
    private boolean current(Claim about) {
        return phase != Phase.OVER && claim != null && claim.holder().equals(about.holder());
    }

    /** Under the monitor: ends a pause; true for the one caller who then asks. */
    boolean resume() {
        if (phase != Phase.PAUSING) {
            return false;
        }
        phase = Phase.ASKING;
        return true;
    }

    /** Under the monitor: the contest is over; what it opened is closed. */
    void end() {
        phase = Phase.OVER;
        if (pause != null) {
            pause.cancel();
            pause = null;
        }
        WatchableStore.Watch opened = watch;
        if (opened != null) {
            watch = null;
            env.execute(opened::close);
        }
    }

    /**
     * Under the monitor: the waiter has gone; the contest goes on for {@code next} if it can, else it is over and the
     * returned action undoes what it had. Says by {@link #phase} which.
     */
    @Nullable
    Runnable replaceWaiter(@Nullable Waiter next) {
        Claim current = claim;
        boolean serves = next != null
                && (phase == Phase.PAUSING || (waiter.request.sameClaim(next.request) && !waiter.request.isTry()));
        if (serves && next != null) {
            waiter = next;
            next.contest = this;
            Ticket place = ticket;
            if (phase == Phase.QUEUED && place != null) {
                Duration wait = Duration.ofNanos(Math.max(0, next.deadline - env.ticker.nanos()));
                return () -> place.extend(wait);
            }
            return null;
        }
        Ticket place = phase == Phase.QUEUED ? ticket : null;
        end();
        return place == null || current == null ? null : () -> cancel(current, place);
    }

    private void cancel(Claim about, Ticket place) {
        env.call(false, place::cancel, (result, failed) -> {
            if (result == null) {
                queue.late.release(about);
            }
        });
    }

    private void tellRefused(Refused refused) {
        if (env.events.any) {
            String heldBy = refused.heldBy() == null ? "" : refused.heldBy().label();
            env.events.tell(listener -> listener.onRefused(queue.name, waiter.request.mode(), heldBy));
        }
    }
}
