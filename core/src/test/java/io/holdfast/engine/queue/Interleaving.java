package io.holdfast.engine.queue;

import io.holdfast.HoldfastException;
import io.holdfast.LeaseState;
import io.holdfast.Mode;
import io.holdfast.ReleaseOutcome;
import io.holdfast.Scheduler;
import io.holdfast.StoreUnavailableException;
import io.holdfast.engine.lease.HeldGrant;
import io.holdfast.engine.lease.LeaseHandle;
import io.holdfast.engine.lease.ReleaseAnswer;
import io.holdfast.engine.queue.Action.Ask;
import io.holdfast.engine.queue.StoreRequest.Phase;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.Queued;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.WatchableStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One run of a queue, its runners and a {@link ScriptedStore}, in which every choice is made by {@link Choices}: which
 * runner performs its next action, which answer arrives, which call of the application comes next. Each chain of actions
 * is in the hands of a runner of its own, so no order between two chains is kept.
 */
final class Interleaving extends QueueSample {
    /** How the store answers a call, chosen for each. */
    enum Answer {
        AT_ONCE,
        LATE,
        TWICE,
        NEVER,
        /** Something is thrown instead of an answer. */
        ERROR
    }

    private final Choices choices;
    private final List<Answer> answers;
    private final ScriptedStore store;
    private final List<Deque<Action>> runners = new ArrayList<>();
    private final List<Runnable> arriving = new ArrayList<>();
    private final List<Runnable> neverAnswered = new ArrayList<>();
    private final Map<String, Waiter> waiters = new LinkedHashMap<>();
    private final Map<Waiter, Object> outcomes = new LinkedHashMap<>();
    private final Set<HeldGrant> kept = new HashSet<>();
    private final Set<HolderId> releasesSent = new HashSet<>();
    private final List<Made> timers = new ArrayList<>();
    private final List<Made> watches = new ArrayList<>();
    private final List<String> trace = new ArrayList<>();
    private boolean draining;

    /** A timer or a watch that an action made. */
    private static final class Made implements Scheduler.Timer, WatchableStore.Watch {
        private final Runnable action;
        private boolean over;

        Made(Runnable action) {
            this.action = action;
        }

        @Override
        public void cancel() {
            over = true;
        }

        @Override
        public void close() {
            over = true;
        }
    }

    Interleaving(QueueRules.Waiting waiting, List<Answer> answers, Choices choices) {
        super(waiting);
        this.choices = choices;
        this.answers = answers;
        this.store = new ScriptedStore(waiting == QueueRules.Waiting.QUEUE);
    }

    /** Plays a script: calls of the application that come in this order, with anything between them. */
    void play(List<String> script) {
        Deque<String> calls = new ArrayDeque<>(script);
        while (!calls.isEmpty() || !runners.isEmpty() || !arriving.isEmpty()) {
            int options = runners.size() + arriving.size() + (calls.isEmpty() ? 0 : 1);
            int choice = choices.among(options);
            if (choice < runners.size()) {
                performNextOf(runners.get(choice));
            } else if (choice < runners.size() + arriving.size()) {
                arriving.remove(choice - runners.size()).run();
            } else {
                call(calls.remove());
            }
            check();
        }
        checkCauses();
        drain();
    }

    private void call(String step) {
        trace.add(step);
        String[] words = step.split(" ");
        Waiter known = words.length > 1 ? waiters.get(words[1]) : null;
        switch (words[0]) {
            case "submit" -> submit(words[1], Mode.EXCLUSIVE, WAIT);
            case "try" -> submit(words[1], Mode.EXCLUSIVE, 0);
            case "withdraw" -> give(known == null ? null : queue.withdraw(known, Waiter.REFUSED, now));
            case "timeUp" -> {
                if (known != null) {
                    now = Math.max(now, known.deadline);
                    give(queue.timeUp(known, true, now));
                }
            }
            case "release" -> release(known);
            case "close" -> give(queue.close(new HoldfastException("closed"), now));
            case "aging" -> store.agePushes();
            case "foreign" -> store.takeForAnother();
            case "foreignEnds" -> store.releaseForAnother();
            default -> throw new IllegalArgumentException(step);
        }
    }

    private void submit(String name, Mode mode, long wait) {
        Waiter waiter = new Waiter(request(mode, wait, TTL), now, name);
        waiters.put(name, waiter);
        give(queue.submit(waiter, now));
    }

    private void release(@Nullable Waiter waiter) {
        if (waiter != null && waiter.outcome() instanceof LeaseHandle lease) {
            lease.releaseAsync();
        }
    }

    /** A runner takes a chain into its hands. */
    private void give(@Nullable Action chain) {
        if (chain != null) {
            Deque<Action> hands = new ArrayDeque<>();
            add(hands, chain);
            runners.add(hands);
        }
    }

    private static void add(Deque<Action> hands, @Nullable Action chain) {
        Action rest = chain;
        while (rest != null) {
            Action next = rest.next;
            hands.add(rest.alone());
            rest = next;
        }
    }

    private void performNextOf(Deque<Action> hands) {
        Action action = hands.remove();
        trace.add("perform " + action.getClass().getSimpleName());
        add(hands, perform(action));
        if (hands.isEmpty()) {
            runners.remove(hands);
        }
    }

    private @Nullable Action perform(Action action) {
        if (action instanceof Ask ask) {
            return send(ask) ? ask(ask) : null;
        } else if (action instanceof Action.Exchange exchange) {
            return exchange(exchange);
        } else if (action instanceof Action.End end) {
            kept.remove(end.answer.grant());
            release(end.answer.grant().claim());
            return answer(null, () -> {
                end.accept(ReleaseOutcome.RELEASED);
                return null;
            });
        } else if (action instanceof Action.Release release) {
            release(release.claim);
        } else if (action instanceof Action.Cancel cancel) {
            Claim claim = cancel.ask.sentClaim();
            release(claim);
            ReleaseResult found = new ReleaseResult.NotHeld(null);
            return answer(
                    why -> queue.answers().cancelled(cancel.ask, null, why, now),
                    () -> queue.answers().cancelled(cancel.ask, found, null, now));
        } else if (action instanceof Action.Confirm confirm) {
            return confirm(confirm);
        } else if (action instanceof Action.AwaitPush await) {
            store.await(
                    await.ask.sentClaim(),
                    grant -> arriving.add(() -> give(queue.answers().pushed(await.ask, grant, 0, now))));
        } else {
            return make(action);
        }
        return null;
    }

    private @Nullable Action make(Action action) {
        if (action instanceof Action.Establish establish) {
            woken(establish.waiter);
            if (establish.grant.active()) {
                kept.add(establish.grant);
            }
        } else if (action instanceof Action.Wake wake) {
            woken(wake.waiter);
        } else if (action instanceof Action.Pass pass) {
            woken(pass.waiter);
            pass.answer.found(ReleaseOutcome.RELEASED, true);
        } else if (action instanceof Action.Pause pause) {
            Made timer = new Made(() -> give(queue.answers().pauseOver(pause, now)));
            timers.add(timer);
            return queue.answers().pausing(pause, timer);
        } else if (action instanceof Action.Watch watch) {
            Made opened = new Made(() -> give(queue.answers().hinted(watch.request, now)));
            watches.add(opened);
            return queue.answers().watched(watch.request, opened, now);
        } else if (action instanceof Action.Discard discard) {
            if (discard.timer != null) {
                discard.timer.cancel();
            }
            if (discard.watch != null) {
                discard.watch.close();
            }
        } else if (action instanceof Action.Lose || action instanceof Action.Forget) {
            throw new AssertionError("the queue broke");
        }
        return null;
    }

    private @Nullable Action ask(Ask ask) {
        Claim claim = ask.sentClaim();
        Object result = store.ask(claim, term(), ask.waiter.request.isTry());
        return answer(why -> queue.answers().failed(ask, why, now), () -> answered(ask, result));
    }

    private @Nullable Action answered(Ask ask, Object result) {
        if (result instanceof Granted grant) {
            return queue.answers().granted(ask, grant, now);
        }
        return result instanceof Queued place
                ? queue.answers().queued(ask, place, now)
                : queue.answers().refused(ask, ScriptedStore.HELD, now);
    }

    private @Nullable Action exchange(Action.Exchange exchange) {
        kept.remove(exchange.ended);
        boolean wanted = send(exchange.ask);
        release(exchange.ended.claim());
        if (!wanted) {
            exchange.answer.found(ReleaseOutcome.RELEASED, true);
            return null;
        }
        Object result = store.ask(exchange.ask.sentClaim(), term(), false);
        return answer(
                why -> {
                    exchange.answer.found(ReleaseOutcome.UNKNOWN, true);
                    return queue.answers().failed(exchange.ask, why, now);
                },
                () -> {
                    exchange.answer.found(ReleaseOutcome.RELEASED, true);
                    return answered(exchange.ask, result);
                });
    }

    private @Nullable Action confirm(Action.Confirm confirm) {
        Claim claim = confirm.ask.sentClaim();
        require(!releasesSent.contains(claim.holder()), "a renewal was sent after the release");
        RenewResult result = new RenewResult.Renewed(term());
        return answer(
                why -> queue.answers().confirmed(confirm, null, why, 0, now),
                () -> queue.answers().confirmed(confirm, result, null, 0, now));
    }

    private interface Failing {
        @Nullable
        Action apply(Throwable why);
    }

    private interface Transition {
        @Nullable
        Action apply();
    }

    /** The store has acted; its answer arrives now, later, twice, or not before the I/O timeout. */
    private @Nullable Action answer(@Nullable Failing failure, Transition success) {
        Answer how = draining ? Answer.AT_ONCE : answers.get(choices.among(answers.size()));
        trace.add("answered " + how);
        switch (how) {
            case AT_ONCE -> {
                return success.apply();
            }
            case TWICE -> {
                arriving.add(() -> give(success.apply()));
                arriving.add(() -> give(success.apply()));
            }
            case LATE -> arriving.add(() -> give(success.apply()));
            case NEVER -> neverAnswered.add(() -> give(failure == null ? success.apply() : failure.apply(unknown())));
            case ERROR -> {
                return failure == null ? success.apply() : failure.apply(new NoClassDefFoundError("driver"));
            }
        }
        return null;
    }

    private void release(Claim claim) {
        releasesSent.add(claim.holder());
        store.release(claim);
    }

    private static StoreUnavailableException unknown() {
        return new StoreUnavailableException("no answer", true, null);
    }

    private void woken(Waiter waiter) {
        require(!waiter.waiting(), "a waiter was woken without an outcome");
    }

    /** After every step. */
    private void check() {
        int active = 0;
        for (Waiter waiter : waiters.values()) {
            Object outcome = waiter.outcome();
            if (outcome == null) {
                continue;
            }
            Object before = outcomes.putIfAbsent(waiter, outcome);
            require(before == null || before == outcome, "a waiter has two outcomes");
            if (outcome instanceof LeaseHandle lease && lease.state() == LeaseState.HELD) {
                active++;
                require(store.holds(lease.grant().claim()), "a lease is held that the store does not hold");
            }
        }
        require(active <= 1, "two exclusive leases");
    }

    /** Nothing is on its way: every request that still waits has something that will end its wait. */
    private void checkCauses() {
        QueueState state = queue.state();
        long armed = timers.stream().filter(timer -> !timer.over).count();
        boolean pausing = state.first != null && state.first.phase == Phase.PAUSING;
        require(armed <= (pausing ? 1 : 0), "a timer is armed and no request pauses");
        for (Waiter waiter : waiters.values()) {
            if (!waiter.waiting() || !neverAnswered.isEmpty()) {
                continue;
            }
            StoreRequest mine = waiter.storeRequest() != null ? waiter.storeRequest() : state.first;
            boolean held = state.holds.exclusive();
            boolean queued = mine != null
                    && mine.phase == Phase.QUEUED
                    && mine.ask != null
                    && store.isQueued(mine.ask.sentClaim());
            boolean paused = mine != null
                    && mine.phase == Phase.PAUSING
                    && timers.stream().anyMatch(timer -> !timer.over);
            require(held || queued || paused, "a request waits without a cause");
        }
    }

    /** Ends everything in good order: nothing is left in the client and in the store. */
    private void drain() {
        draining = true;
        for (int round = 0; round < 60; round++) {
            new ArrayList<>(neverAnswered).forEach(Runnable::run);
            neverAnswered.clear();
            for (Waiter waiter : waiters.values()) {
                release(waiter);
                if (waiter.waiting() && round > 20) {
                    now = Math.max(now, waiter.deadline);
                    give(queue.timeUp(waiter, true, now));
                }
            }
            timers.stream().filter(timer -> !timer.over).toList().forEach(timer -> {
                timer.over = true;
                timer.action.run();
            });
            settle();
            store.releaseForAnother();
        }
        for (Waiter waiter : waiters.values()) {
            require(!waiter.waiting(), "a request was never decided");
        }
        require(timers.stream().allMatch(timer -> timer.over), "a timer stayed");
        require(watches.stream().allMatch(watch -> watch.over), "a watch stayed open");
        require(kept.isEmpty(), "the keeper has a grant that was released: " + kept);
        require(queue.idle(), "the queue is not idle");
        require(store.isEmpty(), "the store has a claim: " + store);
    }

    private void settle() {
        while (!runners.isEmpty() || !arriving.isEmpty()) {
            if (!runners.isEmpty()) {
                performNextOf(runners.get(0));
            } else {
                arriving.remove(0).run();
            }
            check();
        }
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise + ", after " + trace);
        }
    }

    @Override
    public void release(LeaseHandle lease, boolean inTime, ReleaseAnswer answer) {
        give(queue.release(lease, inTime, answer, 0, now));
    }

    @Override
    public void released(HeldGrant grant) {
        give(queue.released(grant, now));
    }
}
