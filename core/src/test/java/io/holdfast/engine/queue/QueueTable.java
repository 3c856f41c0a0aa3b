package io.holdfast.engine.queue;

import io.holdfast.HoldfastException;
import io.holdfast.LockTimeoutException;
import io.holdfast.Mode;
import io.holdfast.StoreUnavailableException;
import io.holdfast.engine.lease.HeldGrant;
import io.holdfast.engine.lease.LeaseHandle;
import io.holdfast.engine.lease.ReleaseAnswer;
import io.holdfast.engine.queue.Action.Ask;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Queued;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Term;
import io.holdfast.spi.Ticket;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Plays a list of steps, each a transition such as {@code submit A} or {@code granted A}, and says what the last one
 * wants to be done. A letter names a request; a store's answer to {@code A} is the answer to the last ask for {@code A}.
 */
final class QueueTable extends QueueSample {
    private static final Refused HELD = new Refused(null, null, false, null);

    private final Map<String, Waiter> waiters = new LinkedHashMap<>();
    private final Map<String, Ask> asks = new HashMap<>();
    private final Map<String, Action.Pause> pauses = new HashMap<>();
    private final Map<String, Action.Confirm> confirms = new HashMap<>();
    private final Map<String, LeaseHandle> leases = new HashMap<>();
    private @Nullable Action last;

    QueueTable(QueueRules.Waiting waiting) {
        super(waiting);
    }

    /** Plays the steps and describes the actions of the last one. */
    String play(String steps) {
        String text = "";
        for (String step : steps.split(", ")) {
            last = null;
            String[] words = step.split(" ");
            apply(words[0], words.length > 1 ? words[1] : "", words.length > 2 ? words[2] : "");
            text = described(last);
        }
        return text;
    }

    private void apply(String verb, String name, String more) {
        switch (verb) {
            case "submit" -> submit(name, Mode.EXCLUSIVE, WAIT, more);
            case "try" -> submit(name, Mode.EXCLUSIVE, 0, more);
            case "share" -> submit(name, Mode.SHARED, WAIT, more);
            case "tryShare" -> submit(name, Mode.SHARED, 0, more);
            case "permit" -> submit(name, Mode.PERMIT, WAIT, more);
            case "granted" -> last = queue.answers().granted(ask(name), grant(false), now);
            case "aged" -> last = queue.answers().pushed(ask(name), aged(), 0, now);
            case "pushed" -> last = queue.answers().pushed(ask(name), grant(true), 0, now);
            case "pushedAfterSuspend" ->
                last = queue.answers()
                        .pushed(ask(name), grant(true), Duration.ofMinutes(5).toNanos(), now);
            case "queued" -> last = queue.answers().queued(ask(name), new Queued(new NoTicket(), HELD), now);
            case "refused" -> last = queue.answers().refused(ask(name), HELD, now);
            case "failed" -> last = queue.answers().failed(ask(name), failure(more), now);
            case "confirmed" ->
                last = queue.answers().confirmed(confirm(name), new RenewResult.Renewed(term()), null, 0, now);
            case "unconfirmed" -> last = queue.answers().confirmed(confirm(name), null, failure("unknown"), 0, now);
            case "cancelled" -> last = queue.answers().cancelled(ask(name), new ReleaseResult.NotHeld(null), null, now);
            case "cancelFailed" -> last = queue.answers().cancelled(ask(name), null, failure("known"), now);
            case "watched" -> last = queue.answers().watched(ask(name).request, () -> {}, now);
            case "hinted" -> last = queue.answers().hinted(ask(name).request, now);
            case "armed" -> last = queue.answers().pausing(Objects.requireNonNull(pauses.get(name)), () -> {});
            case "pauseOver" -> last = queue.answers().pauseOver(Objects.requireNonNull(pauses.get(name)), now);
            case "unable" -> last = queue.answers().unable(ask(name).request, failure("error"), now);
            default -> applyToTheQueue(verb, name);
        }
        note(last);
    }

    private void applyToTheQueue(String verb, String name) {
        switch (verb) {
            case "timeUp" -> {
                now = Math.max(now, waiter(name).deadline);
                last = queue.timeUp(waiter(name), true, now);
            }
            case "timeUpUnreachable" -> {
                now = Math.max(now, waiter(name).deadline);
                last = queue.timeUp(waiter(name), false, now);
            }
            case "early" -> last = queue.timeUp(waiter(name), true, now);
            case "withdraw" -> last = queue.withdraw(waiter(name), Waiter.REFUSED, now);
            case "timer" -> last = queue.armed(waiter(name), () -> {});
            case "release" -> Objects.requireNonNull(leases.get(name), name).releaseAsync();
            case "released" -> last = queue.released(lease(name).grant(), now);
            case "lost" -> last = queue.lost(lease(name).grant(), lease(name), reminder(name), now);
            case "standBack" -> queue.standBack(Duration.ofMillis(100), now);
            case "wait" -> now += Duration.ofSeconds(10).toNanos();
            case "close" -> last = queue.close(new HoldfastException("closed"), now);
            case "retire" -> last = queue.retire(now);
            case "broke" -> last = queue.broke(new IllegalStateException("a bug"));
            default -> throw new IllegalArgumentException(verb);
        }
    }

    private void submit(String name, Mode mode, long wait, String more) {
        Duration ttl = more.equals("otherTtl") ? TTL.multipliedBy(2) : TTL;
        Object owner = more.equals("async") ? new PendingLease(false) : "owner " + name;
        Waiter waiter = new Waiter(request(mode, wait, ttl), now, owner);
        waiters.put(name, waiter);
        last = queue.submit(waiter, now);
    }

    private LostLease reminder(String name) {
        return new LostLease(lease(name), new ReferenceQueue<>(), queue::abandoned);
    }

    private Granted grant(boolean provisional) {
        return new Granted(now, 256, term(), provisional);
    }

    /** A grant of which a tenth of a second is left. */
    private Granted aged() {
        return new Granted(now, 256, new Term(now - TTL.toNanos(), TTL.toNanos() + TTL.toNanos() / 100 + 102_000_000));
    }

    private static Throwable failure(String kind) {
        return switch (kind) {
            case "unknown" -> new StoreUnavailableException("no answer", true, null);
            case "known" -> new StoreUnavailableException("no connection", false, null);
            default -> new NoClassDefFoundError("driver");
        };
    }

    private Ask ask(String name) {
        return Objects.requireNonNull(asks.get(name), name);
    }

    private Action.Confirm confirm(String name) {
        return Objects.requireNonNull(confirms.get(name), name);
    }

    private Waiter waiter(String name) {
        return Objects.requireNonNull(waiters.get(name), name);
    }

    private LeaseHandle lease(String name) {
        return Objects.requireNonNull(leases.get(name), name);
    }

    private String name(Waiter waiter) {
        return waiters.entrySet().stream()
                .filter(entry -> entry.getValue() == waiter)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
    }

    /** Plays the performer: sends asks, and remembers what later steps are about. */
    private void note(@Nullable Action chain) {
        for (Action each = chain; each != null; each = each.next) {
            if (each instanceof Ask ask) {
                asked(ask);
            } else if (each instanceof Action.Exchange exchange) {
                asked(exchange.ask);
            } else if (each instanceof Action.Pause pause) {
                pauses.put(name(pause.request.waiter), pause);
            } else if (each instanceof Action.Confirm confirm) {
                confirms.put(name(confirm.ask.request.waiter), confirm);
            } else if (each instanceof Action.Extend) {
                waiters.forEach((name, waiter) -> {
                    StoreRequest request = waiter.storeRequest();
                    if (waiter.waiting() && request != null && request.ask != null) {
                        asks.put(name, request.ask);
                    }
                });
            }
        }
        waiters.forEach((name, waiter) -> {
            if (waiter.outcome() instanceof LeaseHandle lease) {
                leases.put(name, lease);
            }
        });
    }

    private void asked(Ask ask) {
        if (send(ask)) {
            asks.put(name(ask.waiter), ask);
        }
    }

    private String described(@Nullable Action chain) {
        List<String> all = new ArrayList<>();
        for (Action each = chain; each != null; each = each.next) {
            all.add(text(each));
        }
        return all.isEmpty() ? "nothing" : String.join(", ", all);
    }

    private String text(Action action) {
        String kind = action.getClass().getSimpleName();
        if (action instanceof Ask ask) {
            return kind + " " + name(ask.waiter) + (ask.span > 1 ? " for " + ask.span : "");
        } else if (action instanceof Action.Exchange exchange) {
            return kind + " for " + name(exchange.ask.waiter);
        } else if (action instanceof Action.Release release) {
            return kind + " " + claimant(release.claim);
        } else if (action instanceof Action.Establish establish) {
            return kind + " " + name(establish.waiter);
        } else if (action instanceof Action.Pass pass) {
            return kind + " to " + name(pass.waiter);
        } else if (action instanceof Action.Wake wake) {
            return kind + " " + name(wake.waiter) + " " + outcome(wake.waiter);
        } else if (action instanceof Action.Arm arm) {
            return kind + " " + name(arm.waiter);
        }
        return kind;
    }

    private String claimant(Claim claim) {
        return asks.entrySet().stream()
                .filter(entry -> Objects.equals(entry.getValue().claim(), claim))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse("an older claim");
    }

    private static String outcome(Waiter waiter) {
        Object outcome = waiter.outcome();
        if (outcome == Waiter.REFUSED) {
            return "refused";
        }
        if (outcome instanceof LockTimeoutException) {
            return "timeout";
        }
        return outcome instanceof StoreUnavailableException ? "unavailable" : "failed";
    }

    @Override
    public void release(LeaseHandle lease, boolean inTime, ReleaseAnswer answer) {
        last = queue.release(lease, inTime, answer, 0, now);
    }

    @Override
    public void released(HeldGrant grant) {}

    /** A place of which the test tells what becomes. */
    private static final class NoTicket implements Ticket {
        @Override
        public CompletionStage<Granted> granted() {
            return new CompletableFuture<>();
        }

        @Override
        public CompletionStage<ReleaseResult> cancel() {
            return new CompletableFuture<>();
        }

        @Override
        public void extend(Duration wait) {}
    }
}
