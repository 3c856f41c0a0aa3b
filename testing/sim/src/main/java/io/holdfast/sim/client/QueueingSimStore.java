package io.holdfast.sim.client;

import io.holdfast.Scheduler;
import io.holdfast.StoreUnavailableException;
import io.holdfast.sim.check.SentVerb;
import io.holdfast.sim.check.TraceText;
import io.holdfast.sim.store.ServerReply;
import io.holdfast.spi.Claim;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Exchanged;
import io.holdfast.spi.Granted;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.Queued;
import io.holdfast.spi.QueueingStore;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Ticket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Push mode. A ticket is registered before its request is sent, because a push can overtake the answer (L5); one poll
 * per client and 700 ms keeps every ticket alive (L3) and finds grants whose push was lost. A pushed grant counts from
 * the sending of the last request that was answered "still queued" (U2).
 */
public final class QueueingSimStore extends SimStore implements QueueingStore {
    private static final long POLL = TimeUnit.MILLISECONDS.toNanos(700);

    private final Map<HolderId, SimTicket> tickets = new LinkedHashMap<>();
    private Scheduler.@Nullable Timer nextPoll;

    public QueueingSimStore(Client client, RunContext run) {
        super(client, run);
    }

    @Override
    public CompletionStage<EnqueueResult> enqueue(Claim claim, Duration wait) {
        run.observer().sent(client, SentVerb.ENQUEUE, claim);
        SimTicket ticket = register(claim, wait);
        CompletableFuture<EnqueueResult> answer = call(
                "enqueue " + TraceText.brief(claim.holder()),
                claim,
                d -> run.server().enqueue(claim, wait.toNanos(), d),
                (reply, sent) -> joined(ticket, reply, sent));
        follow(ticket, answer);
        return answer;
    }

    @Override
    public CompletionStage<Exchanged> exchange(Claim held, Claim next, Duration wait) {
        run.observer().sent(client, SentVerb.RELEASE, held);
        run.observer().sent(client, SentVerb.ENQUEUE, next);
        SimTicket ticket = register(next, wait);
        ReleaseResult[] released = new ReleaseResult[1];
        CompletableFuture<EnqueueResult> answer = call(
                "exchange " + TraceText.brief(held.holder()) + " for " + TraceText.brief(next.holder()),
                next,
                d -> run.server().exchange(held, next, wait.toNanos(), d),
                (swap, sent) -> {
                    released[0] = swap.released();
                    return joined(ticket, swap.next(), sent);
                });
        follow(ticket, answer);
        return answer.thenApply(result -> new Exchanged(
                // A push that overtook the answer proves that the old claim is gone: it was let go in the same step.
                released[0] == null ? ReleaseResult.Released.INSTANCE : released[0], result));
    }

    /** The server handed the lock to a waiter. */
    public void pushed(Claim claim, Granted granted) {
        run.network().reply(client, "push to " + TraceText.brief(claim.holder()), () -> {
            SimTicket ticket = tickets.remove(claim.holder());
            if (ticket != null) {
                ticket.grant(since(granted, ticket.base));
            }
        });
    }

    /** The server gave a place up. */
    public void dropped(Claim claim) {
        run.network().reply(client, "drop of " + TraceText.brief(claim.holder()), () -> {
            SimTicket ticket = tickets.remove(claim.holder());
            if (ticket != null) {
                ticket.fail();
            }
        });
    }

    public boolean isQueued(Claim claim) {
        return tickets.containsKey(claim.holder());
    }

    /** Tickets that are neither granted nor cancelled. */
    public int open() {
        return tickets.size();
    }

    private SimTicket register(Claim claim, Duration wait) {
        SimTicket ticket = new SimTicket(claim, machine.nanos(), wait);
        tickets.put(claim.holder(), ticket);
        return ticket;
    }

    private void follow(SimTicket ticket, CompletableFuture<EnqueueResult> answer) {
        ticket.answer = asks(ticket.claim, answer);
        answer.whenComplete((value, failure) -> {
            if (failure != null) {
                tickets.remove(ticket.claim.holder());
            }
        });
    }

    private EnqueueResult joined(SimTicket ticket, ServerReply reply, long sent) {
        if (reply instanceof ServerReply.Yes yes) {
            tickets.remove(ticket.claim.holder());
            return since(yes.granted(), sent);
        }
        if (reply instanceof ServerReply.Wait waiting) {
            ticket.queued = true;
            ticket.queuedInStep = run.world().steps();
            pollSoon(POLL);
            return new Queued(ticket, waiting.because());
        }
        throw new StoreUnavailableException("the claim was withdrawn before it arrived", false, null);
    }

    private void pollSoon(long delay) {
        if (nextPoll == null) {
            nextPoll = machine.schedule(this::poll, delay);
        }
    }

    private void poll() {
        nextPoll = null;
        List<SimTicket> asked = new ArrayList<>();
        for (SimTicket ticket : tickets.values()) {
            if (ticket.queued) {
                asked.add(ticket);
            }
        }
        if (asked.isEmpty()) {
            return;
        }
        long now = machine.nanos();
        List<Long> waits =
                asked.stream().map(ticket -> Math.max(0, ticket.until - now)).toList();
        var unused = this.<List<ServerReply>, Boolean>call(
                "poll " + asked.size(),
                info().ioTimeout().toNanos(),
                duplicate -> {
                    List<ServerReply> replies = new ArrayList<>();
                    for (int i = 0; i < asked.size(); i++) {
                        replies.add(run.server().poll(asked.get(i).claim, waits.get(i)));
                    }
                    return replies;
                },
                (replies, sent) -> {
                    for (int i = 0; i < asked.size(); i++) {
                        asked.get(i).polled(replies.get(i), sent);
                    }
                    return true;
                });
        pollSoon(POLL);
    }

    /** A place in the server's queue. */
    private final class SimTicket implements Ticket {
        private final Claim claim;
        private final CompletableFuture<Granted> granted = new CompletableFuture<>();
        private @Nullable CompletableFuture<EnqueueResult> answer;
        private long base;
        private long until;
        private boolean queued;
        private int queuedInStep;

        SimTicket(Claim claim, long sent, Duration wait) {
            this.claim = claim;
            this.base = sent;
            this.until = sent + wait.toNanos();
        }

        @Override
        public CompletionStage<Granted> granted() {
            return granted;
        }

        @Override
        public CompletionStage<ReleaseResult> cancel() {
            boolean waited =
                    tickets.remove(claim.holder()) != null && run.world().steps() > queuedInStep;
            if (waited) {
                run.observer().givesPlaceUp(client, claim);
            }
            return release(SentVerb.CANCEL, claim);
        }

        @Override
        public void extend(Duration wait) {
            until = machine.nanos() + wait.toNanos();
            if (nextPoll != null) {
                nextPoll.cancel();
                nextPoll = null;
            }
            pollSoon(0);
        }

        void grant(Granted grant) {
            if (grant.provisional()) {
                run.observer().provisional(client, claim);
            }
            CompletableFuture<EnqueueResult> asked = answer;
            if (asked != null && !asked.isDone()) {
                asked.complete(grant);
            } else {
                granted.complete(grant);
            }
        }

        void fail() {
            StoreUnavailableException lost =
                    new StoreUnavailableException("the place in the queue was lost", false, null);
            granted.completeExceptionally(lost);
        }

        void polled(ServerReply reply, long sent) {
            if (!tickets.containsKey(claim.holder())) {
                return;
            }
            if (reply instanceof ServerReply.Yes yes) {
                tickets.remove(claim.holder());
                grant(since(yes.granted(), sent));
            } else if (reply instanceof ServerReply.Wait) {
                base = Math.max(base, sent);
            } else {
                tickets.remove(claim.holder());
                fail();
            }
        }
    }
}
