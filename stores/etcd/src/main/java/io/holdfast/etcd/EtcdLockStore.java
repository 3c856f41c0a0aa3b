package io.holdfast.etcd;

import io.etcd.jetcd.Client;
import io.holdfast.LockStatus;
import io.holdfast.LossReason;
import io.holdfast.Revocation;
import io.holdfast.Sequencer;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Exchanged;
import io.holdfast.spi.Granted;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.MarkResult;
import io.holdfast.spi.MarkingStore;
import io.holdfast.spi.Queued;
import io.holdfast.spi.QueueingStore;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Locks in etcd: a claim is a key on an etcd lease, its create revision is its place in the line and its token, and the
 * first in line holds. See {@code docs/stores/etcd.md}.
 */
public final class EtcdLockStore implements QueueingStore, MarkingStore {
    /** etcd's own leases last 2 s at least; a live client ends its claims by its own clock (promise 3 holds from here). */
    static final Duration SHORTEST_TTL = Duration.ofSeconds(1);

    private static final Duration LONGEST_TTL = Duration.ofDays(365);
    private static final Duration LONGEST_WAIT = Duration.ofDays(3650);

    private final EtcdWire wire;
    private final StoreInfo info;
    private final Clock clock = new Clock();
    private final Book book = new Book();
    private final Sessions sessions;
    private final Env env;
    private final Entering entering;
    private final Leaving leaving;
    private final Upkeep upkeep;
    private final Keeping keeping;
    private final Waiting waiting;
    private final Trying trying;
    private final Inspection inspection;
    private final EtcdMarks marks;
    private volatile boolean open = true;

    EtcdLockStore(EtcdWire wire, EtcdConfig config) {
        this.wire = wire;
        this.info = StoreInfo.of("etcd", wire.where())
                .withTtl(SHORTEST_TTL, LONGEST_TTL)
                .withIoTimeout(config.ioTimeout());
        long ioNanos = config.ioTimeout().toNanos();
        this.sessions = new Sessions(wire, clock, new SessionEar(), ioNanos);
        KeySpace keys = new KeySpace(config.namespace());
        this.env = new Env(wire, keys, config.tokens(), clock, book, sessions, ioNanos);
        this.entering = new Entering(env);
        this.leaving = new Leaving(env);
        this.upkeep = new Upkeep(env, leaving);
        this.keeping = new Keeping(env, upkeep);
        this.waiting = new Waiting(env, entering, upkeep);
        this.trying = new Trying(env, leaving);
        this.inspection = new Inspection(env);
        this.marks = new EtcdMarks(wire, keys, ioNanos);
        upkeep.start(new TimedActions());
    }

    /**
     * Over a client that is open already and that the caller closes.
     *
     * @param client the client; its user, TLS and namespace stay as they are
     * @param namespace separates users of one etcd; empty for none
     */
    public static EtcdLockStore over(Client client, String namespace) {
        EtcdConfig usual = EtcdConfig.DEFAULTS;
        return new EtcdLockStore(
                new EtcdWire(client, false, "etcd:"), new EtcdConfig(namespace, usual.ioTimeout(), usual.tokens()));
    }

    @Override
    public StoreInfo info() {
        return info;
    }

    @Override
    public void attach(StoreContext context) {
        clock.attach(context);
    }

    @Override
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        long began = clock.nanos();
        Place known = book.of(claim);
        if (book.hasEnded(claim.holder()) || (known != null && !known.is(Place.Phase.HELD))) {
            return CompletableFuture.completedFuture(new Refused(null, null, false, null));
        }
        return trying.worthIt(claim, known, began).thenCompose(refused -> {
            if (refused != null) {
                return CompletableFuture.completedFuture(refused);
            }
            Place place = known == null ? placed(claim, began, Duration.ZERO) : known;
            return entering.enter(place, null, began)
                    .thenCompose(entered -> tried(place, entered, began))
                    .whenComplete((result, failure) -> {
                        if (!(result instanceof Granted) && place != known) {
                            place.end();
                            giveUp(place, failure);
                        }
                    });
        });
    }

    @Override
    public CompletionStage<EnqueueResult> enqueue(Claim claim, Duration wait) {
        long began = clock.nanos();
        Place known = book.of(claim);
        if (known != null && known.is(Place.Phase.WAITING)) {
            return CompletableFuture.completedFuture(
                    new Queued(new EtcdTicket(this, known), new Refused(null, null, false, null)));
        }
        if (book.hasEnded(claim.holder())) {
            return CompletableFuture.failedFuture(env.withdrawn(claim));
        }
        Place place = known == null ? placed(claim, began, wait) : known;
        return entering.enter(place, null, began)
                .thenCompose(entered -> taken(place, entered, began))
                .whenComplete((result, failure) -> forgetIfFailed(place, failure));
    }

    @Override
    public CompletionStage<Exchanged> exchange(Claim held, Claim next, Duration wait) {
        if (!held.lockName().equals(next.lockName())) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "exchange is within one lock, not '" + held.lockName() + "' for '" + next.lockName() + "'"));
        }
        long began = clock.nanos();
        if (book.hasEnded(next.holder())) {
            return CompletableFuture.failedFuture(env.withdrawn(next));
        }
        Place known = book.of(held);
        Place old = withdraw(held) == Place.Phase.HELD ? known : null;
        if (known != null && old == null) {
            book.doubt(known);
            release(held); // it was lost before; what is left of it goes by itself
        }
        Place again = book.of(next);
        Place place = again == null ? placed(next, began, wait) : again;
        return entering.enter(place, old, began)
                // The old claim is no longer looked after here, so it is to be released whatever happened.
                .whenComplete((entered, failure) -> {
                    if (old == null) {
                        return;
                    }
                    if (failure == null && entered.line() != null) {
                        book.keyGone(old);
                    } else {
                        book.doubt(old);
                    }
                    if (failure == null && entered.line() == null) {
                        release(held); // the new claim was withdrawn, and the step undone with it
                    }
                })
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(Env.unknown(failure)))
                .thenCompose(entered -> taken(place, entered, began)
                        .thenApply(result -> new Exchanged(
                                entered.released() ? ReleaseResult.Released.INSTANCE : new ReleaseResult.NotHeld(null),
                                result)))
                .whenComplete((result, failure) -> forgetIfFailed(place, failure));
    }

    @Override
    public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        return keeping.renew(claims);
    }

    @Override
    public CompletionStage<ReleaseResult> release(Claim claim) {
        Place known = book.of(claim);
        Place place = known == null ? book.doubtful(claim) : known;
        Place.Phase was = withdraw(claim);
        return leaving.release(claim, known, was, clock.nanos()).whenComplete((result, failure) -> {
            if (place == null) {
                return;
            }
            if (failure == null) {
                book.keyGone(place);
            } else {
                book.doubt(place);
                if (was != null && was != Place.Phase.ASKING) {
                    place.session().doubt();
                }
            }
        });
    }

    @Override
    public CompletionStage<List<LockStatus>> inspect(LockQuery query) {
        return inspection.inspect(query);
    }

    @Override
    public CompletionStage<RevokeResult> revoke(String lockName, Revocation how) {
        return inspection.revoke(lockName, how);
    }

    @Override
    public CompletionStage<MarkResult> admit(String resource, Sequencer sequencer) {
        return marks.admit(resource, sequencer);
    }

    /** Takes those who wait out of the line, and gives back leases that nobody lives on; grants stay until theirs end. */
    @Override
    public void close() {
        if (!open) {
            return;
        }
        open = false;
        upkeep.stop();
        List<CompletableFuture<?>> last = new ArrayList<>();
        for (Place place : book.all()) {
            Upkeep.close(place.unwatch());
            if (place.is(Place.Phase.WAITING)) {
                last.add(release(place.claim).toCompletableFuture());
                place.lost("its store was closed", null);
            }
        }
        await(last);
        last.clear();
        for (EtcdSession session : sessions.all()) {
            if (book.all().stream().anyMatch(place -> place.livesOnEither(session))) {
                session.stop();
            } else {
                last.add(session.revoke());
            }
        }
        await(last);
        wire.close();
    }

    /** The place is wanted for longer, or for less long. */
    void extend(Place place, Duration wait) {
        long now = clock.nanos();
        place.endsAt(now + nanos(wait));
        upkeep.by(place.endsAt());
    }

    private Place placed(Claim claim, long began, Duration wait) {
        return book.place(claim, env.keys(), began + nanos(wait));
    }

    /** What this client knows of the claim, which is over for it. */
    private Place.@Nullable Phase withdraw(Claim claim) {
        Place place = book.of(claim);
        if (place == null) {
            if (book.of(claim.holder()) == null) {
                book.ended(claim.holder());
            }
            return null;
        }
        Place.Phase was = place.end();
        book.remove(place);
        Upkeep.close(place.unwatch());
        return was;
    }

    private void forgetIfFailed(Place place, @Nullable Throwable failure) {
        if (failure != null && place.move(Place.Phase.ASKING, Place.Phase.OVER)) {
            giveUp(place, failure);
        }
    }

    /** Nothing came of it; if nobody knows whether its key is there, its slot is not used before its release. */
    private void giveUp(Place place, @Nullable Throwable failure) {
        boolean unknown = failure != null
                && (!(Failures.unwrapped(failure) instanceof StoreUnavailableException known)
                        || known.outcomeUnknown());
        if (unknown) {
            book.doubt(place);
        } else {
            book.forget(place);
        }
    }

    private CompletionStage<AcquireResult> tried(Place place, Entering.Entered entered, long sent) {
        if (entered.first()) {
            return established(place, sent).thenApply(grant -> grant);
        }
        Line line = entered.line();
        if (line == null) {
            return CompletableFuture.completedFuture(new Refused(null, null, false, null));
        }
        if (line.before(place.claim.holder()) != null) {
            return trying.leave(place, entered.front());
        }
        return established(place, sent).thenApply(grant -> grant);
    }

    private CompletionStage<EnqueueResult> taken(Place place, Entering.Entered entered, long sent) {
        if (entered.first()) {
            return established(place, sent).thenApply(grant -> grant);
        }
        Line line = entered.line();
        if (line == null) {
            return CompletableFuture.failedFuture(env.withdrawn(place.claim));
        }
        Line.Obstacle obstacle = line.before(place.claim.holder());
        if (obstacle == null) {
            return established(place, sent).thenApply(grant -> grant);
        }
        if (!place.move(Place.Phase.ASKING, Place.Phase.WAITING)) {
            return CompletableFuture.failedFuture(env.withdrawn(place.claim));
        }
        Entry sole = entered.front().soleBefore(place.claim.holder());
        waiting.await(place, obstacle, entered.revision(), sole);
        return CompletableFuture.completedFuture(
                new Queued(new EtcdTicket(this, place), trying.refusal(place.claim, entered.front())));
    }

    /** The claim is first: its lock-delay is announced, and then it holds. */
    private CompletableFuture<Granted> established(Place place, long sent) {
        return entering.announceDelay(place, sent).handle((mine, failure) -> {
            if (failure != null) {
                place.session().doubt();
                throw Env.unknown(failure);
            }
            if (!mine || !upkeep.hold(place, sent)) {
                throw new StoreUnavailableException(
                        "the claim of " + place.claim.label() + " for lock '" + place.claim.lockName()
                                + "' was withdrawn before it was granted",
                        true,
                        null);
            }
            return env.grant(place, sent);
        });
    }

    private void await(List<CompletableFuture<?>> calls) {
        CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
                .completeOnTimeout(null, env.ioNanos(), TimeUnit.NANOSECONDS)
                .exceptionally(failure -> null)
                .join();
    }

    private static long nanos(Duration wait) {
        return (wait.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait).toNanos();
    }

    private final class TimedActions implements Upkeep.Actions {
        @Override
        public void look(Place place) {
            waiting.look(place);
        }

        @Override
        public void watchOwn(Place place) {
            keeping.watchOwn(place);
        }

        @Override
        public void giveUp(Place place) {
            if (place.is(Place.Phase.WAITING)) {
                release(place.claim);
                place.lost("its wait is over", null);
            }
        }
    }

    private final class SessionEar implements EtcdSession.Listener {
        @Override
        public void silent(EtcdSession session) {
            if (open) {
                clock.attached().signals().disconnected();
            }
        }

        @Override
        public void answered(EtcdSession session) {
            if (open) {
                clock.attached().signals().connected();
            }
        }

        @Override
        public void ended(EtcdSession session) {
            sessions.forget(session);
            for (Place place : book.all()) {
                if (place.placeLivesOn(session)) {
                    leaseEnded(place);
                }
            }
        }

        @Override
        public void sweep(EtcdSession session) {
            leaving.sweep(session);
        }

        @Override
        public boolean inUse(EtcdSession session) {
            return book.all().stream().anyMatch(place -> place.livesOnEither(session));
        }

        /** A claim that is being asked for finds out by itself, and asks again on another lease. */
        private void leaseEnded(Place place) {
            switch (place.phase()) {
                case WAITING -> {
                    if (place.move(Place.Phase.WAITING, Place.Phase.OVER)) {
                        book.remove(place);
                        book.keyGone(place);
                        Upkeep.close(place.unwatch());
                        place.lost("its etcd lease has ended", null);
                    }
                }
                case HELD -> {
                    if (keeping.lose(place)) {
                        clock.attached().signals().lost(place.claim.holder(), LossReason.GONE);
                    }
                }
                case EXPIRED -> upkeep.keyGone(place);
                default -> {}
            }
        }
    }
}
