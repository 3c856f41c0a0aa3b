package io.holdfast.redis;

import io.holdfast.Scheduler;
import io.holdfast.redis.wire.Subscription;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Everybody of this client who waits in Redis, the one subscription on which grants are pushed to them, and the slow
 * poll beside it.
 *
 * <p>The poll is one call for all waiters together, not quite every second (L3): it moves their deadlines, which say that they are
 * alive, and finds grants whose message was lost. The head of a queue asks earlier, when the lease before it is over
 * (L4). The subscription is opened when somebody first has to wait; until it is ready, and whenever it is down, the
 * poll does its work.
 *
 * <ul>
 *   <li>I1: a ticket is in the map from before its request is sent until it is decided; a push for an id that is not in
 *       the map is nobody's, and the release that took it out has undone it.
 *   <li>I2: while somebody waits the timer is set, at the latest for {@link #POLL_NANOS} after the last poll.
 *   <li>I3: {@link RedisTicket#end()} chooses the one who decides: push, poll, cancel or close.
 * </ul>
 */
final class TicketBook {
    /** More than a second, so that there is at most one call in any second; a waiter stays alive for two (L3). */
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1100);

    private static final long AFTER_EXPIRY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LONGEST_WAIT = Long.MAX_VALUE / 4;

    private final RedisLockStore store;
    private final String channel;
    private final Subscription subscription;
    private final ConcurrentMap<String, RedisTicket> tickets = new ConcurrentHashMap<>();
    private @Nullable StoreContext context;

    // Guarded by this.
    private Scheduler.@Nullable Timer timer;
    private long timerAt;
    private long lastPoll;
    private boolean closed;

    TicketBook(RedisLockStore store, String channel) {
        this.store = store;
        this.channel = channel;
        this.subscription = new Subscription(store.connector(), channel, this::pushed, this::pollNow);
    }

    String channel() {
        return channel;
    }

    synchronized void attach(StoreContext value) {
        context = value;
        lastPoll = value.ticker().nanos();
    }

    /** Before the request is sent. A repeated request gets the ticket it had. */
    RedisTicket register(Claim claim, long sent, Duration wait) {
        RedisTicket ticket = new RedisTicket(this, claim, sent, sent + nanos(wait));
        RedisTicket known = tickets.putIfAbsent(ticket.id(), ticket);
        return known == null ? ticket : known;
    }

    /** The request was answered with "queued". */
    void queued(RedisTicket ticket, String reply, long sent) {
        ticket.stillQueued(sent);
        subscription.start();
        long now = store.ticker().nanos();
        synchronized (this) {
            pollBy(Math.min(lastPoll - now + POLL_NANOS, untilExpiry(reply)), now);
        }
    }

    void forget(RedisTicket ticket) {
        ticket.end();
        tickets.remove(ticket.id(), ticket);
    }

    void forget(Claim claim) {
        if (!tickets.isEmpty()) {
            RedisTicket ticket = tickets.get(claim.holder().toString());
            if (ticket != null) {
                forget(ticket);
            }
        }
    }

    CompletionStage<ReleaseResult> cancel(RedisTicket ticket) {
        tickets.remove(ticket.id(), ticket);
        return store.calls.release(ticket.claim());
    }

    void extend(RedisTicket ticket, Duration wait) {
        ticket.waitUntil(store.ticker().nanos() + nanos(wait));
        pollNow();
    }

    /** Asks at once after everybody: something may have been missed. */
    void pollNow() {
        if (context != null && !tickets.isEmpty()) {
            synchronized (this) {
                pollBy(0, store.ticker().nanos());
            }
        }
    }

    /** The connection for calls broke and is back: messages may have been missed, and the other connection may be dead. */
    void reconnected() {
        subscription.verify();
        pollNow();
    }

    /** Withdraws everybody; waits a moment for it, so that nobody behind them has to wait for two seconds. */
    void close() {
        synchronized (this) {
            closed = true;
            if (timer != null) {
                timer.cancel();
            }
        }
        List<CompletableFuture<ReleaseResult>> cancels = new ArrayList<>();
        for (RedisTicket ticket : tickets.values()) {
            if (ticket.end()) {
                cancels.add(store.calls.release(ticket.claim()));
                ticket.placeLost("its store was closed", false, null);
            }
        }
        tickets.clear();
        CompletableFuture<?> all = CompletableFuture.allOf(cancels.toArray(CompletableFuture[]::new));
        all.completeOnTimeout(null, store.config().ioTimeout().toNanos(), TimeUnit.NANOSECONDS)
                .exceptionally(failure -> null)
                .join();
        subscription.close();
    }

    /** A message: {@code holder token span ms}. */
    private void pushed(String message) {
        String[] words = message.split(" ");
        RedisTicket ticket = tickets.get(words[0]);
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
        tickets.remove(ticket.id(), ticket);
        Claim claim = ticket.claim();
        boolean confirmFirst = store.calls.replicates() || !claim.lockDelay().isZero() || claim.span() > 1;
        if (grant.provisional() && confirmFirst) {
            confirm(ticket, grant);
        } else {
            ticket.deliver(grant);
        }
    }

    /**
     * Renews a pushed grant before anybody uses it: because only then the replicas are known to have it (U18); because
     * its lock-delay begins only then, so that a dead waiter costs two seconds and not its lock-delay; or because
     * others wait behind it in this client, to whom only a full lease may pass (U14). A single waiter need not wait for
     * this: the engine confirms its grant while it already works.
     */
    private void confirm(RedisTicket ticket, Granted grant) {
        store.renew(List.of(ticket.claim())).whenComplete((results, failure) -> {
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
        long sent = store.ticker().nanos();
        // Before the waits are read: an extension that this poll does not see finds the next timer, not this one.
        synchronized (this) {
            timer = null;
            lastPoll = sent;
            pollBy(POLL_NANOS, sent);
        }
        Map<String, List<LockCalls.Waiting>> byLock = new LinkedHashMap<>();
        for (RedisTicket ticket : tickets.values()) {
            if (ticket.isQueued() && !overdue(ticket, sent)) {
                Duration left = Duration.ofNanos(Math.max(0, ticket.waitEnds() - sent));
                byLock.computeIfAbsent(ticket.claim().lockName(), name -> new ArrayList<>())
                        .add(new LockCalls.Waiting(ticket.id(), left));
            }
        }
        for (LockCalls.Poll poll : store.calls.poll(byLock)) {
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
            long now = store.ticker().nanos();
            synchronized (this) {
                pollBy(untilExpiry(reply), now);
            }
        } else if (ticket.end()) {
            tickets.remove(ticket.id(), ticket);
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
        StoreContext attached = context;
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
        timer = attached.scheduler().schedule(this::poll, at - now);
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
