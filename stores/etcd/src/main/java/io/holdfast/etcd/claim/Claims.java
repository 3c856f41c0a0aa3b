package io.holdfast.etcd.claim;

import io.holdfast.LossReason;
import io.holdfast.StoreUnavailableException;
import io.holdfast.etcd.claim.ClaimCreation.Created;
import io.holdfast.etcd.claim.KeyClaim.Phase;
import io.holdfast.etcd.client.Deadline;
import io.holdfast.etcd.client.EtcdCalls;
import io.holdfast.etcd.client.Failures;
import io.holdfast.etcd.line.KeySpace;
import io.holdfast.etcd.line.Line;
import io.holdfast.etcd.line.Tokens;
import io.holdfast.etcd.session.EtcdLease;
import io.holdfast.etcd.session.EtcdLeases;
import io.holdfast.etcd.session.TombstoneLease;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.EnqueueResult;
import io.holdfast.spi.Exchanged;
import io.holdfast.spi.Granted;
import io.holdfast.spi.Queued;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.Ticket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The verbs of the store contract that make, renew and end the claims of one client. The door of this package: the
 * other classes are its parts.
 */
public final class Claims {
    private static final Duration LONGEST_WAIT = Duration.ofDays(3650);

    /** A refusal without details. */
    private static final Refused REFUSED = new Refused(null, null, false, null);

    private final EtcdCalls calls;
    private final StoreContext context;
    private final Tokens tokens;
    private final ClaimRegistry registry;
    private final EtcdLeases leases;
    private final ClaimTimer timer;
    private final ClaimExpiry expiry;
    private final OwnKeyWatch ownKeys;
    private final TurnWatch turns;
    private final ClaimGrants grants;
    private final ClaimCreation creation;
    private final ClaimRelease release;
    private final ClaimRenewal renewal;
    private final TryAcquire tries;
    private final OrphanKeys orphans;
    private volatile boolean closed;

    /** No claim yet. */
    public Claims(EtcdCalls calls, StoreContext context, KeySpace keys, Tokens tokens) {
        this.calls = calls;
        this.context = context;
        this.tokens = tokens;
        this.registry = new ClaimRegistry(keys, context.ticker());
        this.leases = new EtcdLeases(calls, context, new LeaseListener());
        this.timer = new ClaimTimer(context, registry, this::attend);
        this.expiry = new ClaimExpiry(calls, context.ticker(), registry, timer);
        this.ownKeys = new OwnKeyWatch(calls, context, expiry, timer);
        this.grants = new ClaimGrants(calls, leases, tokens, context.ticker(), timer);
        this.turns = new TurnWatch(calls, context, keys, registry, timer, grants);
        this.creation = new ClaimCreation(calls, keys, leases);
        TombstoneLease tombstones = new TombstoneLease(calls, context.ticker());
        this.release = new ClaimRelease(calls, keys, tokens, registry, tombstones);
        this.renewal = new ClaimRenewal(calls, context.ticker(), registry, expiry);
        this.tries = new TryAcquire(calls, keys, tokens, context.ticker(), release);
        this.orphans = new OrphanKeys(calls, keys, registry);
    }

    /** See {@link io.holdfast.spi.LockStore#tryAcquire}. */
    public CompletionStage<AcquireResult> tryAcquire(Claim claim) {
        long sent = now();
        Deadline by = calls.deadline(claim.ttl());
        KeyClaim known = registry.of(claim);
        if (registry.hasEnded(claim.holder()) || (known != null && !known.is(Phase.HELD))) {
            return CompletableFuture.completedFuture(REFUSED);
        }
        if (known != null) {
            return creation.create(known, null, by).thenCompose(created -> tried(known, created, sent, by));
        }
        return tries.refusalBefore(claim, by)
                .thenCompose(refused ->
                        refused == null ? tryNew(claim, sent, by) : CompletableFuture.completedFuture(refused));
    }

    /** See {@link io.holdfast.spi.QueueingStore#enqueue}. */
    public CompletionStage<EnqueueResult> enqueue(Claim claim, Duration wait) {
        long sent = now();
        Deadline by = calls.deadline(claim.ttl());
        KeyClaim known = registry.of(claim);
        if (known != null && known.is(Phase.WAITING)) {
            return CompletableFuture.completedFuture(new Queued(new ClaimTicket(known), REFUSED));
        }
        if (registry.hasEnded(claim.holder())) {
            return CompletableFuture.failedFuture(withdrawn(claim));
        }
        KeyClaim asked = known == null ? registry.register(claim, sent + nanos(wait)) : known;
        return creation.create(asked, null, by)
                .thenCompose(created -> enqueued(asked, created, sent, by))
                .whenComplete((result, failure) -> forgetIfFailed(asked, failure));
    }

    /** See {@link io.holdfast.spi.QueueingStore#exchange}. */
    public CompletionStage<Exchanged> exchange(Claim held, Claim next, Duration wait) {
        if (!held.lockName().equals(next.lockName())) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "exchange is within one lock, not '" + held.lockName() + "' for '" + next.lockName() + "'"));
        }
        long sent = now();
        Deadline by = calls.deadline(next.ttl());
        if (registry.hasEnded(next.holder())) {
            return CompletableFuture.failedFuture(withdrawn(next));
        }
        KeyClaim old = replaceable(held);
        KeyClaim known = registry.of(next);
        KeyClaim asked = known == null ? registry.register(next, sent + nanos(wait)) : known;
        return creation.create(asked, old, by)
                .whenComplete((created, failure) -> replaced(old, created, failure))
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(Failures.unknown(failure)))
                .thenCompose(created -> enqueued(asked, created, sent, by)
                        .thenApply(result -> new Exchanged(
                                created.released() ? ReleaseResult.Released.INSTANCE : new ReleaseResult.NotHeld(null),
                                result)))
                .whenComplete((result, failure) -> forgetIfFailed(asked, failure));
    }

    /** See {@link io.holdfast.spi.LockStore#renew}. */
    public CompletionStage<List<RenewResult>> renew(List<Claim> claims) {
        return renewal.renew(claims);
    }

    /** See {@link io.holdfast.spi.LockStore#release}. */
    public CompletionStage<ReleaseResult> release(Claim claim) {
        return release.release(claim);
    }

    /** Cancels the claims that wait and ends the etcd leases that no claim uses. Grants stay until they expire. */
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        timer.stop();
        List<CompletableFuture<?>> last = new ArrayList<>();
        for (KeyClaim claim : registry.all()) {
            claim.unwatch();
            if (claim.is(Phase.WAITING)) {
                last.add(cancel(claim, "its store was closed"));
            }
        }
        await(last);
        last.clear();
        for (EtcdLease lease : leases.all()) {
            if (registry.uses(lease)) {
                lease.stop();
            } else {
                last.add(lease.revoke());
            }
        }
        await(last);
    }

    private CompletableFuture<AcquireResult> tryNew(Claim claim, long sent, Deadline by) {
        KeyClaim asked = registry.register(claim, sent);
        return creation.create(asked, null, by)
                .thenCompose(created -> tried(asked, created, sent, by))
                .whenComplete((result, failure) -> {
                    if (!(result instanceof Granted)) {
                        asked.end();
                        registry.failed(asked, failure);
                    }
                });
    }

    private CompletableFuture<AcquireResult> tried(KeyClaim claim, Created created, long sent, Deadline by) {
        if (created.line() == null) {
            return CompletableFuture.completedFuture(REFUSED);
        }
        return created.obstacle(claim) == null
                ? grants.grant(claim, sent, by).thenApply(grant -> grant)
                : tries.refuse(claim, created.front());
    }

    private CompletableFuture<EnqueueResult> enqueued(KeyClaim claim, Created created, long sent, Deadline by) {
        if (created.line() == null) {
            return CompletableFuture.failedFuture(withdrawn(claim.claim));
        }
        Line.Obstacle obstacle = created.obstacle(claim);
        if (obstacle == null) {
            return grants.grant(claim, sent, by).thenApply(grant -> grant);
        }
        if (!claim.move(Phase.ASKING, Phase.WAITING)) {
            return CompletableFuture.failedFuture(withdrawn(claim.claim));
        }
        turns.await(claim, obstacle, created.revision(), created.front().soleBefore(claim.claim.holder()));
        return CompletableFuture.completedFuture(
                new Queued(new ClaimTicket(claim), created.front().refusal(claim.claim, tokens)));
    }

    /** Withdraws the claim that an exchange gives up; returns it if its key can be deleted by the exchange. */
    private @Nullable KeyClaim replaceable(Claim held) {
        KeyClaim known = registry.of(held);
        if (release.withdraw(held) == Phase.HELD) {
            return known;
        }
        if (known != null) {
            registry.doubt(known);
            release.release(held); // it was lost before; deletes what is left of it
        }
        return null;
    }

    /** The claim that an exchange gave up is registered no longer, so its key is deleted whatever the outcome was. */
    private void replaced(@Nullable KeyClaim old, @Nullable Created created, @Nullable Throwable failure) {
        if (old == null) {
            return;
        }
        if (failure == null && created != null && created.line() != null) {
            registry.keyGone(old);
            return;
        }
        registry.doubt(old);
        if (failure == null) {
            release.release(old.claim); // the new claim was withdrawn, so the transaction deleted nothing
        }
    }

    private void forgetIfFailed(KeyClaim claim, @Nullable Throwable failure) {
        if (failure != null && claim.move(Phase.ASKING, Phase.OVER)) {
            registry.failed(claim, failure);
        }
    }

    private CompletableFuture<ReleaseResult> cancel(KeyClaim claim, String why) {
        CompletableFuture<ReleaseResult> released = release.release(claim.claim);
        claim.lost(why);
        return released;
    }

    /** What the timer does for a claim; returns in how many nanoseconds something else is due. */
    private long attend(KeyClaim claim, long now) {
        return switch (claim.phase()) {
            case WAITING -> {
                if (turns.waitIsOver(claim, now)) {
                    cancel(claim, "its wait is over");
                    yield ClaimTimer.NEVER;
                }
                yield turns.attend(claim, now);
            }
            case HELD -> ownKeys.attend(claim, now);
            case EXPIRED, DELAYING -> expiry.attend(claim, now);
            default -> ClaimTimer.NEVER;
        };
    }

    private void await(List<CompletableFuture<?>> last) {
        CompletableFuture.allOf(last.toArray(CompletableFuture[]::new))
                .completeOnTimeout(null, calls.ioNanos(), TimeUnit.NANOSECONDS)
                .exceptionally(failure -> null)
                .join();
    }

    private long now() {
        return context.ticker().nanos();
    }

    private static long nanos(Duration wait) {
        return (wait.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait).toNanos();
    }

    private static StoreUnavailableException withdrawn(Claim claim) {
        return new StoreUnavailableException(
                "the request of " + claim.label() + " for lock '" + claim.lockName()
                        + "' was withdrawn before it arrived; ask again with a new holder id",
                false,
                null);
    }

    private final class ClaimTicket implements Ticket {
        private final KeyClaim claim;

        ClaimTicket(KeyClaim claim) {
            this.claim = claim;
        }

        @Override
        public CompletionStage<Granted> granted() {
            return claim.granted;
        }

        @Override
        public CompletionStage<ReleaseResult> cancel() {
            return release.release(claim.claim);
        }

        @Override
        public void extend(Duration wait) {
            claim.endsAt(now() + nanos(wait));
            timer.by(claim.endsAt());
        }
    }

    private final class LeaseListener implements EtcdLease.Listener {
        @Override
        public void silent(EtcdLease lease) {
            if (!closed) {
                context.signals().disconnected();
            }
        }

        @Override
        public void answered(EtcdLease lease) {
            if (!closed) {
                context.signals().connected();
            }
        }

        @Override
        public void ended(EtcdLease lease) {
            leases.forget(lease);
            for (KeyClaim claim : registry.all()) {
                if (claim.keyIsOn(lease)) {
                    keyGone(claim);
                }
            }
        }

        @Override
        public void sweep(EtcdLease lease) {
            orphans.delete(lease);
        }

        @Override
        public boolean inUse(EtcdLease lease) {
            return registry.uses(lease);
        }

        /** A claim that is being asked for gets a failure from etcd, and is asked for again on another lease. */
        private void keyGone(KeyClaim claim) {
            switch (claim.phase()) {
                case WAITING -> turns.lose(claim, "its etcd lease has ended");
                case HELD -> {
                    if (expiry.lose(claim)) {
                        context.signals().lost(claim.claim.holder(), LossReason.GONE);
                    }
                }
                case EXPIRED -> expiry.keyGone(claim);
                default -> {}
            }
        }
    }
}
