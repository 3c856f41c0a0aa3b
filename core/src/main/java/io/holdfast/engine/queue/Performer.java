package io.holdfast.engine.queue;

import io.holdfast.LossReason;
import io.holdfast.ReleaseOutcome;
import io.holdfast.Scheduler;
import io.holdfast.engine.lease.HeldGrant;
import io.holdfast.engine.lease.LeaseHandle;
import io.holdfast.engine.lease.Releases;
import io.holdfast.engine.lease.Request;
import io.holdfast.engine.queue.Action.Ask;
import io.holdfast.engine.runtime.Log;
import io.holdfast.engine.runtime.StoreCalls;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Exchanged;
import io.holdfast.spi.Granted;
import io.holdfast.spi.QueueingStore;
import io.holdfast.spi.WatchableStore;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Does what the actions of one queue ask for: store calls, timers, wake-ups. Returns what follows from an answer that is
 * known at once; hands any later answer to {@link QueueRunner#follow}.
 *
 * <p>A store that does its I/O on the calling thread is called here only for the thread's own request or lease. Every
 * other call goes to another thread.
 */
final class Performer {
    private final QueueRunner runner;
    private final RunnerParts parts;
    private final StoreCalls calls;

    Performer(QueueRunner runner, RunnerParts parts) {
        this.runner = runner;
        this.parts = parts;
        this.calls = parts.calls();
    }

    /** Never throws: what an action throws is the failure of that action. */
    @Nullable
    Action perform(Action action) {
        try {
            if (action instanceof Ask ask) {
                return ask(ask);
            }
            if (action instanceof Action.Establish establish) {
                parts.keeper().add(establish.grant);
                wake(establish.waiter);
                return null;
            }
            if (action instanceof Action.End end) {
                end(end);
                return null;
            }
            return action.callsStore() ? call(action) : make(action);
        } catch (Throwable e) {
            return failed(action, e);
        }
    }

    private @Nullable Action call(Action action) {
        if (action instanceof Action.Exchange exchange) {
            return exchange(exchange);
        } else if (action instanceof Action.Release release) {
            parts.releases().release(release.claim);
        } else if (action instanceof Action.Cancel cancel) {
            calls.call(
                    false,
                    cancel.ticket::cancel,
                    (result, failure) -> runner.follow(runner.cancelled(cancel.ask, result, failure)));
        } else if (action instanceof Action.Confirm confirm) {
            confirm(confirm);
        }
        return null;
    }

    private @Nullable Action make(Action action) {
        if (action instanceof Action.Wake wake) {
            wake(wake.waiter);
        } else if (action instanceof Action.Pass pass) {
            parts.keeper().passed(pass.grant, parts.time().nanos());
            wake(pass.waiter);
            pass.answer.found(ReleaseOutcome.RELEASED, true);
        } else if (action instanceof Action.AwaitPush await) {
            return awaitPush(await);
        } else if (action instanceof Action.Extend extend) {
            extend.ticket.extend(extend.wait);
        } else if (action instanceof Action.Pause pause) {
            return pause(pause);
        } else if (action instanceof Action.Watch watch) {
            return watch(watch.request);
        } else if (action instanceof Action.Arm arm) {
            return arm(arm);
        } else if (action instanceof Action.Discard discard) {
            discard(discard);
        } else if (action instanceof Action.Lose lose) {
            lose(lose.grant);
        } else if (action instanceof Action.RetireLater later) {
            parts.time().schedule(runner::retire, later.nanos);
        } else if (action instanceof Action.Forget forget) {
            forget(forget);
        }
        return null;
    }

    /** Something was thrown on the way: the failure of this action (L13). */
    private @Nullable Action failed(Action action, Throwable why) {
        if (action instanceof Ask ask) {
            return runner.answered(ask, null, why);
        }
        if (action instanceof Action.Exchange exchange) {
            return exchanged(exchange, null, why);
        }
        if (action instanceof Action.Confirm confirm) {
            return runner.confirmed(confirm, null, why, 0);
        }
        if (action instanceof Action.Cancel cancel) {
            return runner.cancelled(cancel.ask, null, why);
        }
        if (action instanceof Action.AwaitPush await) {
            return runner.pushed(await.ask, null, why);
        }
        if (action instanceof Action.Watch watch) {
            return runner.unable(watch.request, why);
        }
        if (action instanceof Action.Pause pause) {
            return runner.unable(pause.request, why);
        }
        if (action instanceof Action.Arm arm) {
            return runner.withdrawn(arm.waiter, why);
        }
        if (action instanceof Action.End end) {
            end.accept(ReleaseOutcome.UNKNOWN);
        }
        if (action.callsStore()) {
            calls.unfinished().end();
        }
        Log.warning("an action of the queue of lock '" + runner.name() + "' failed", why);
        return null;
    }

    // ---- Store calls

    private @Nullable Action ask(Ask ask) {
        if (!calls.info().blocking() || ask.waiter.owner == Thread.currentThread()) {
            return send(ask);
        }
        return calls.offer(() -> runner.follow(send(ask))) ? null : runner.answered(ask, null, StoreCalls.closed());
    }

    /** The uncontended path: no lambda is made if the store answers at once. */
    private @Nullable Action send(Ask ask) {
        Object known;
        try {
            Request request = ask.waiter.request;
            Claim claim = parts.claims().claim(request, ask.span, ask.note);
            if (!ask.start(claim, parts.time().wallLead())) {
                calls.unfinished().end();
                return null;
            }
            if (parts.events().any()) {
                parts.events().tell(listener -> listener.onAttempt(request.lockName(), request.mode()));
            }
            QueueingStore queueing = request.isTry() ? null : calls.queueing();
            CompletionStage<?> stage = queueing != null
                    ? queueing.enqueue(claim, ask.wait)
                    : calls.store().tryAcquire(claim);
            known = StoreCalls.known(stage);
            if (known == null) {
                stage.whenComplete((result, failure) ->
                        runner.follow(runner.answered(ask, result, StoreCalls.unwrapped(failure))));
                return null;
            }
        } catch (Throwable e) {
            return runner.answered(ask, null, e);
        }
        return runner.answered(ask, known, null);
    }

    /** The keeper sends no renewal any more. A renewal that is being sent goes first. */
    private void end(Action.End end) {
        HeldGrant ended = end.answer.grant();
        parts.keeper().remove(ended);
        runner.keepIfIdle();
        if (!ended.sendsRenewal() || !ended.afterRenewal(() -> runner.follow(end))) {
            parts.releases().release(ended.claim(), end.answer.mayBlock(), end);
        }
    }

    private @Nullable Action exchange(Action.Exchange exchange) {
        HeldGrant ended = exchange.ended;
        parts.keeper().remove(ended);
        if (ended.sendsRenewal() && ended.afterRenewal(() -> runner.follow(exchange))) {
            return null;
        }
        if (!calls.info().blocking() || exchange.answer.mayBlock()) {
            return send(exchange);
        }
        return calls.offer(() -> runner.follow(send(exchange))) ? null : exchanged(exchange, null, StoreCalls.closed());
    }

    private @Nullable Action send(Action.Exchange exchange) {
        Ask ask = exchange.ask;
        Exchanged known;
        try {
            QueueingStore queueing = calls.queueing();
            Claim held = exchange.ended.claim();
            Claim claim = parts.claims().claim(ask.waiter.request, ask.span, ask.note);
            if (!ask.start(claim, parts.time().wallLead()) || queueing == null) {
                parts.releases().release(held, exchange.answer.mayBlock(), found -> exchange.answer.found(found, true));
                return null;
            }
            CompletionStage<Exchanged> stage = queueing.exchange(held, claim, ask.wait);
            known = StoreCalls.known(stage);
            if (known == null) {
                stage.whenComplete(
                        (result, failure) -> runner.follow(exchanged(exchange, result, StoreCalls.unwrapped(failure))));
                return null;
            }
        } catch (Throwable e) {
            return exchanged(exchange, null, e);
        }
        return exchanged(exchange, known, null);
    }

    /** If the outcome is unknown, both claims are released (U15). */
    private @Nullable Action exchanged(
            Action.Exchange exchange, @Nullable Exchanged result, @Nullable Throwable failure) {
        if (result != null) {
            exchange.answer.found(Releases.outcome(result.released()), true);
            return runner.answered(exchange.ask, result.next(), null);
        }
        exchange.answer.found(ReleaseOutcome.UNKNOWN, true);
        calls.unfinished().begin();
        parts.releases().release(exchange.ended.claim());
        return runner.answered(exchange.ask, null, failure);
    }

    private void confirm(Action.Confirm confirm) {
        long lead = parts.time().wallLead();
        Claim claim = confirm.ask.sentClaim();
        calls.callUrgently(
                () -> calls.store().renew(List.of(claim)),
                (results, failure) -> runner.follow(runner.confirmed(confirm, results, failure, lead)));
    }

    private @Nullable Action awaitPush(Action.AwaitPush await) {
        CompletionStage<Granted> stage = await.ticket.granted();
        Granted known = StoreCalls.known(stage);
        if (known != null) {
            return runner.pushed(await.ask, known, null);
        }
        stage.whenComplete(
                (grant, failure) -> runner.follow(runner.pushed(await.ask, grant, StoreCalls.unwrapped(failure))));
        return null;
    }

    // ---- Timers, hints and wake-ups

    private @Nullable Action pause(Action.Pause pause) {
        long nanos = pause.nanos(pause.needsDraw() ? parts.claims().pauseNanos() : 0);
        Scheduler.Timer timer = parts.time().schedule(() -> runner.follow(runner.pauseOver(pause)), nanos);
        return runner.pausing(pause, timer);
    }

    private @Nullable Action watch(StoreRequest request) {
        WatchableStore watchable = calls.watchable();
        if (watchable == null) {
            return null;
        }
        WatchableStore.Watch opened = watchable.watch(runner.name(), () -> runner.follow(runner.hinted(request)));
        return runner.watched(request, opened);
    }

    /** A thread ends its wait by itself. */
    private @Nullable Action arm(Action.Arm arm) {
        Waiter waiter = arm.waiter;
        if (!(waiter.owner instanceof PendingLease)
                || !waiter.waiting()
                || waiter.request.waitNanos() == Request.FOREVER) {
            return null;
        }
        Scheduler.Timer timer = parts.time().schedule(() -> runner.follow(runner.timeUp(waiter)), arm.nanos);
        return runner.armed(waiter, timer);
    }

    private void discard(Action.Discard discard) {
        if (discard.timer != null) {
            discard.timer.cancel();
        }
        if (discard.watch != null) {
            parts.callbacks().execute(discard.watch::close);
        }
    }

    /** The outcome of the request is set. */
    private void wake(Waiter waiter) {
        runner.keepIfIdle();
        Scheduler.Timer timer = waiter.timer();
        if (timer != null) {
            timer.cancel();
        }
        if (waiter.owner instanceof Thread thread) {
            if (thread != Thread.currentThread()) {
                LockSupport.unpark(thread);
            }
        } else if (waiter.owner instanceof PendingLease pending) {
            runner.announce(waiter);
            parts.callbacks().execute(() -> complete(pending, waiter));
        }
    }

    private void complete(PendingLease pending, Waiter waiter) {
        Object outcome = waiter.outcome();
        if (outcome instanceof LeaseHandle lease) {
            if (!pending.complete(lease)) {
                lease.releaseAsync();
            }
        } else if (outcome instanceof Throwable failure) {
            pending.completeExceptionally(failure);
        } else if (pending.trying()) {
            pending.cancel(false);
        } else {
            pending.completeExceptionally(runner.notFree(waiter));
        }
    }

    private void lose(HeldGrant grant) {
        parts.keeper().lose(grant, LossReason.GONE);
        calls.unfinished().begin();
        if (!grant.afterRenewal(() -> parts.releases().release(grant.claim()))) {
            parts.releases().release(grant.claim());
        }
    }

    private void forget(Action.Forget forget) {
        runner.forget();
        if (forget.failure != null) {
            Log.warning(
                    "the queue of lock '" + runner.name() + "' failed; its requests fail and its leases are lost",
                    forget.failure);
        }
    }
}
