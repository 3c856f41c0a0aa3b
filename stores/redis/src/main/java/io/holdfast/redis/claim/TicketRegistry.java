package io.holdfast.redis.claim;

import io.holdfast.Scheduler;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.wire.Connector;
import io.holdfast.redis.wire.Subscription;
import io.holdfast.spi.Claim;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Exchanged;
import io.holdfast.spi.Granted;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.Queued;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The claims of this client that wait in Redis, the one subscription on which grants are pushed to them, and the slow
 * poll beside it. Thread-safe.
 *
 * <p>The poll is one call for all waiters together, about once a second (L3). It moves their deadlines, which say that
 * they are alive, and finds grants whose message was lost. The head of a queue asks earlier, when the lease before it is
 * over (L4). The subscription is opened when a claim first has to wait. Until it is ready, and whenever it is down, the
 * poll does its work.
 *
 * <ul>
 *   <li>I1: a ticket is in the map from before its request is sent until it is decided, because the push may overtake the
 *       reply (L5). A push for a holder id that is not in the map is ignored: the release that took the ticket out has
 *       undone the grant.
 *   <li>I2: while a claim waits the timer is set, at the latest for {@link #POLL_NANOS} after the last poll.
 *   <li>I3: {@link RedisTicket#end()} chooses the one caller that decides: push, poll, cancel or close.
 * </ul>
 */
public final class TicketRegistry {
    /** More than a second, so that there is at most one call in any second; a waiter stays alive for two (L3). */
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1100);

    private static final long AFTER_EXPIRY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LONGEST_WAIT = Long.MAX_VALUE / 4;

    private final LockCalls calls;
    private final BatchedCalls batched;
    private final LongSupplier clock;
    private final long ioNanos;
    private final String channel;
    private final Subscription subscription;
    private final ConcurrentMap<HolderId, RedisTicket> tickets = new ConcurrentHashMap<>();
    private volatile @Nullable Scheduler scheduler;

    // Guarded by this.
    private Scheduler.@Nullable Timer timer;
    private long timerAt;
    private long lastPoll;
    private boolean closed;

    /** No ticket yet; grants will be pushed over connections of {@code connector}. */
    public TicketRegistry(CallContext context, LockCalls calls, BatchedCalls batched, Connector connector) {
        this.calls = calls;
        this.batched = batched;
        this.clock = context.clock();
        this.ioNanos = context.ioTimeout().toNanos();
        byte[] id = new byte[12];
        ThreadLocalRandom.current().nextBytes(id);
        this.channel = context.keys().channel(HexFormat.of().formatHex(id));
        this.subscription = new Subscription(connector, channel, this::pushed, this::pollNow);
    }

    /** Called once, before the first claim. */
    public synchronized void attach(Scheduler value) {
        scheduler = value;
        lastPoll = clock.getAsLong();
    }

    /** Grants the lock, or puts the claim at the end of the queue. */
    public CompletionStage<EnqueueResult> enqueue(Claim claim, Duration wait) {
        long sent = clock.getAsLong();
        RedisTicket ticket = register(claim, sent, wait);
        return calls.take(claim, wait, channel).handle((reply, failure) -> {
            if (failure != null) {
                throw failed(ticket, failure);
            }
            return taken(ticket, reply, sent);
        });
    }

    /** Releases {@code held} and enqueues {@code next}, in one step. */
    public CompletionStage<Exchanged> exchange(Claim held, Claim next, Duration wait) {
        long sent = clock.getAsLong();
        RedisTicket ticket = register(next, sent, wait);
        return calls.exchange(held, next, wait, channel).handle((replies, failure) -> {
            if (failure != null) {
                throw failed(ticket, failure);
            }
            return new Exchanged(Replies.released(replies[0]), taken(ticket, replies[1], sent));
        });
    }

    /** A repeated request gets the ticket it had. */
    private RedisTicket register(Claim claim, long sent, Duration wait) {
        RedisTicket ticket = new RedisTicket(this, claim, sent, sent + nanos(wait));
        RedisTicket known = tickets.putIfAbsent(claim.holder(), ticket);
        return known == null ? ticket : known;
    }

    private EnqueueResult taken(RedisTicket ticket, String reply, long sent) {
        if (Replies.isQueued(reply)) {
            queued(ticket, reply, sent);
            return new Queued(ticket, Replies.refused(reply));
        }
        forget(ticket);
        if (Replies.isGrant(reply)) {
            Granted grant = Replies.grant(reply, sent);
            ticket.deliver(grant); // to a request of this claim that was queued before it was repeated
            return grant;
        }
        throw new StoreUnavailableException(
                "the request of " + ticket.claim().label() + " for lock '"
                        + ticket.claim().lockName()
                        + "' was withdrawn before it arrived; ask again with a new holder id",
                false,
                null);
    }

    private RuntimeException failed(RedisTicket ticket, Throwable failure) {
        forget(ticket);
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof RuntimeException known ? known : new CompletionException(cause);
    }

    private void queued(RedisTicket ticket, String reply, long sent) {
        ticket.stillQueued(sent);
        subscription.start();
        long now = clock.getAsLong();
        synchronized (this) {
            pollBy(Math.min(lastPoll - now + POLL_NANOS, untilExpiry(reply)), now);
        }
    }

    private void forget(RedisTicket ticket) {
        ticket.end();
        tickets.remove(ticket.claim().holder(), ticket);
    }

    /** This claim is being released: a grant that is pushed to it from now on is ignored. */
    public void forget(Claim claim) {
        RedisTicket ticket = tickets.isEmpty() ? null : tickets.get(claim.holder());
        if (ticket != null) {
            forget(ticket);
        }
    }

    CompletionStage<ReleaseResult> cancel(RedisTicket ticket) {
        tickets.remove(ticket.claim().holder(), ticket);
        return calls.release(ticket.claim());
    }

    void extend(RedisTicket ticket, Duration wait) {
        ticket.waitUntil(clock.getAsLong() + nanos(wait));
        pollNow();
    }

    /** Asks at once after all waiters: a message may have been missed. */
    private void pollNow() {
        if (scheduler != null && !tickets.isEmpty()) {
            synchronized (this) {
                pollBy(0, clock.getAsLong());
            }
        }
    }

    /**
     * The connection for calls broke and is back. Messages may have been missed, and the connection of the subscription
     * may be dead as well.
     */
    public void reconnected() {
        subscription.verify();
        pollNow();
    }

    /** Withdraws all waiters, and waits a moment for it: the claims behind them need not wait until they are dead. */
    public void close() {
        synchronized (this) {
            closed = true;
            if (timer != null) {
                timer.cancel();
            }
        }
        List<CompletableFuture<ReleaseResult>> cancels = new ArrayList<>();
        for (RedisTicket ticket : tickets.values()) {
            if (ticket.end()) {
                cancels.add(calls.release(ticket.claim()));
                ticket.placeLost("its store was closed", false, null);
            }
        }
        tickets.clear();
        CompletableFuture<?> all = CompletableFuture.allOf(cancels.toArray(CompletableFuture[]::new));
        all.completeOnTimeout(null, ioNanos, TimeUnit.NANOSECONDS)
                .exceptionally(failure -> null)
                .join();
        subscription.close();
    }

    /** A message: {@code holder token span ms}. */
    private void pushed(String message) {
        String[] words = message.split(" ");
        RedisTicket ticket = tickets.get(HolderId.parse(words[0]));
        if (ticket != null) {
            Duration length = Duration.ofMillis(Long.parseLong(words[3]));
            granted(
                    ticket,
                    new Granted(Long.parseLong(words[1]), Integer.parseInt(words[2]), ticket.pushed(length), true));
        }
    }

    private void granted(RedisTicket ticket, Granted grant) {
        if (!ticket.end()) {
            return;
        }
        Claim claim = ticket.claim();
        tickets.remove(claim.holder(), ticket);
        boolean confirmFirst = batched.replicates() || !claim.lockDelay().isZero() || claim.span() > 1;
        if (grant.provisional() && confirmFirst) {
            confirm(ticket, grant);
        } else {
            ticket.deliver(grant);
        }
    }

    /**
     * Renews a pushed grant before it is used, for one of three reasons. Only then the replicas are known to have it
     * (U18). Its lock-delay begins only then, so that a dead waiter costs two seconds and not its lock-delay. Threads of
     * this client wait behind it, and only a full lease may pass to them (U14). Otherwise the grant is used at once, and
     * the engine renews it meanwhile.
     */
    private void confirm(RedisTicket ticket, Granted grant) {
        batched.renew(List.of(ticket.claim())).whenComplete((results, failure) -> {
            RenewResult result = failure == null ? results.get(0) : new RenewResult.Unanswered(failure);
            if (result instanceof RenewResult.Renewed renewed) {
                ticket.deliver(new Granted(grant.token(), grant.span(), renewed.term()));
            } else {
                Throwable cause = result instanceof RenewResult.Unanswered unanswered ? unanswered.cause() : null;
                // L16: a release from here would be one try on a connection that may just have broken.
                ticket.placeLost("the grant pushed to it could not be confirmed", true, cause);
            }
        });
    }

    private void poll() {
        long sent = clock.getAsLong();
        // Before the waits are read: an extension that this poll does not see finds the next timer, not this one.
        synchronized (this) {
            timer = null;
            lastPoll = sent;
            pollBy(POLL_NANOS, sent);
        }
        Map<String, List<BatchedCalls.Waiting>> byLock = new LinkedHashMap<>();
        for (RedisTicket ticket : tickets.values()) {
            if (ticket.isQueued() && !overdue(ticket, sent)) {
                Duration left = Duration.ofNanos(Math.max(0, ticket.waitEnds() - sent));
                byLock.computeIfAbsent(ticket.claim().lockName(), name -> new ArrayList<>())
                        .add(new BatchedCalls.Waiting(ticket.claim().holder(), left));
            }
        }
        for (BatchedCalls.Poll poll : batched.poll(byLock)) {
            poll.replies().thenAccept(replies -> {
                for (int i = 0; i < replies.size(); i++) {
                    RedisTicket ticket = tickets.get(poll.holders().get(i));
                    if (ticket != null) {
                        answered(ticket, replies.get(i), sent);
                    }
                }
            });
        }
    }

    /** What a poll says of one waiter. A poll that failed says nothing: the next one follows. */
    private void answered(RedisTicket ticket, String reply, long sent) {
        if (Replies.isGrant(reply)) {
            granted(ticket, Replies.grant(reply, sent));
            // No message announced it. That happens when the two overtake each other, and on a dead subscription.
            subscription.verify();
        } else if (Replies.isQueued(reply)) {
            ticket.stillQueued(sent);
            long now = clock.getAsLong();
            synchronized (this) {
                pollBy(untilExpiry(reply), now);
            }
        } else if (ticket.end()) {
            tickets.remove(ticket.claim().holder(), ticket);
            ticket.placeLost("the store does not know it any more", false, null);
        }
    }

    /** A wait that ended without a cancel: the place is given up here. */
    private boolean overdue(RedisTicket ticket, long now) {
        if (ticket.waitEnds() + GRACE_NANOS - now > 0 || !ticket.end()) {
            return false;
        }
        cancel(ticket);
        ticket.placeLost("its wait has ended", false, null);
        return true;
    }

    /** Under the monitor: polls {@code nanos} from now at the latest. */
    private void pollBy(long nanos, long now) {
        Scheduler attached = scheduler;
        if (closed || attached == null || tickets.isEmpty()) {
            return;
        }
        long at = now + Math.max(0, nanos);
        if (timer != null) {
            if (timerAt - at <= 0) {
                return;
            }
            timer.cancel();
        }
        timerAt = at;
        timer = attached.schedule(this::poll, at - now);
    }

    /** When the head of a queue asks again: at the end of what is in its way. */
    private static long untilExpiry(String reply) {
        if (!Replies.isHead(reply)) {
            return POLL_NANOS;
        }
        long millis = Long.parseLong(reply.split(" ", 4)[2]);
        return millis < 0 ? POLL_NANOS : TimeUnit.MILLISECONDS.toNanos(millis) + AFTER_EXPIRY_NANOS;
    }

    private static long nanos(Duration wait) {
        return wait.toSeconds() > LONGEST_WAIT / 1_000_000_000L ? LONGEST_WAIT : wait.toNanos();
    }
}
