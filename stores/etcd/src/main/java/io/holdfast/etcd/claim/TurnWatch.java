package io.holdfast.etcd.claim;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import io.holdfast.etcd.claim.KeyClaim.Phase;
import io.holdfast.etcd.client.EtcdCalls;
import io.holdfast.etcd.client.Failures;
import io.holdfast.etcd.line.Entry;
import io.holdfast.etcd.line.KeySpace;
import io.holdfast.etcd.line.Line;
import io.holdfast.etcd.line.LineReads;
import io.holdfast.etcd.session.EtcdLease;
import io.holdfast.spi.Claim;
import io.holdfast.spi.StoreContext;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds out when a queued claim becomes first. Each claim watches the one thing that it waits for. When that goes, the
 * claim checks the line again: it is granted only after its own key was read and its etcd lease is known to be alive.
 *
 * <p>A claim with a single claim before it need not check. It watches the range of keys from that claim's key to its
 * own, and one watch reports the events of its range in the order of their revisions. If the other key is deleted, and
 * the deletion of the own key was not reported before, then the own key was there at that revision and no claim was
 * before it. A check could not say more (ADR 11). This holds for a watch that began at the revision at which the line
 * was read and never broke; the events of any other watch only cause a check.
 *
 * <p>No event is missed: when etcd creates a watch, it says at which revision the watch begins. If that is later than
 * the revision at which the obstacle was seen, the claim checks again. (A watch could also ask to begin at that earlier
 * revision. But etcd reports the events of a watch that begins in the past only every 100 ms, and after a compaction at
 * the very revision of a deletion, that deletion is missing and no error is reported.)
 *
 * <p>A watch that breaks (a lost connection, a member without a leader, a compaction) is replaced after a check: the
 * line shows everything that happened meanwhile. (jetcd resumes a broken watch at the revision at which it was created,
 * and may skip events.) Beside its watch every claim checks every few seconds, because a watch on a member that was cut
 * off reports nothing.
 */
final class TurnWatch {
    private static final long SHORTEST_CHECK = TimeUnit.SECONDS.toNanos(2);
    private static final long LONGEST_CHECK = TimeUnit.SECONDS.toNanos(10);
    private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(100);

    /** A claim that the engine has not cancelled so long after the end of its wait is cancelled here. */
    private static final long GRACE = TimeUnit.MILLISECONDS.toNanos(200);

    private final EtcdCalls calls;
    private final StoreContext context;
    private final KeySpace keys;
    private final ClaimRegistry registry;
    private final ClaimTimer timer;
    private final ClaimGrants grants;

    TurnWatch(
            EtcdCalls calls,
            StoreContext context,
            KeySpace keys,
            ClaimRegistry registry,
            ClaimTimer timer,
            ClaimGrants grants) {
        this.calls = calls;
        this.context = context;
        this.keys = keys;
        this.registry = registry;
        this.timer = timer;
        this.grants = grants;
    }

    /**
     * The claim waits for {@code obstacle}, as was read at {@code revision}.
     *
     * @param sole the claim after whose deletion this one is certainly first; null if there is none
     */
    void await(KeyClaim claim, Line.Obstacle obstacle, long revision, @Nullable Entry sole) {
        long now = context.ticker().nanos();
        long pause = Math.max(SHORTEST_CHECK, Math.min(claim.claim.ttl().toNanos() / 3, LONGEST_CHECK));
        claim.dueAt(now + pause);
        timer.by(Math.min(pause, claim.endsAt() - now) + now);
        watch(claim, obstacle, revision, sole);
    }

    /** Whether the wait has ended and the engine should have cancelled the claim. */
    boolean waitIsOver(KeyClaim claim, long now) {
        return claim.endsAt() + GRACE - now <= 0;
    }

    /** Checks if that is due; returns in how many nanoseconds something else is due. */
    long attend(KeyClaim claim, long now) {
        long toCheck = claim.dueAt() - now;
        if (toCheck <= 0) {
            claim.dueAt(claim.dueAt() + SHORTEST_CHECK);
            check(claim);
            return ClaimTimer.SHORTEST_GAP;
        }
        return Math.min(claim.endsAt() + GRACE - now, toCheck);
    }

    /** The claim's key is gone. */
    void lose(KeyClaim claim, String why) {
        if (claim.move(Phase.WAITING, Phase.OVER)) {
            registry.over(claim);
            claim.unwatch();
            claim.lost(why);
        }
    }

    /** Checks whether the claim is first. */
    private void check(KeyClaim claim) {
        if (!claim.is(Phase.WAITING) || !claim.startCheck()) {
            return;
        }
        Claim wanted = claim.claim;
        long sent = context.ticker().nanos();
        List<Op> reads = LineReads.upTo(keys, wanted.lockName(), wanted.mode(), claim.createRevision());
        calls.read(reads, calls.deadline())
                .thenCompose(answer -> checked(claim, answer, sent))
                .whenComplete((done, failure) -> ended(claim, failure));
    }

    private void ended(KeyClaim claim, @Nullable Throwable failure) {
        boolean again = claim.endCheck();
        if (failure != null) {
            context.scheduler().schedule(() -> check(claim), RETRY);
        } else if (again) {
            check(claim);
        }
    }

    /** The claim is first, and its key was there when it became so. */
    private void grantUnchecked(KeyClaim claim) {
        if (claim.is(Phase.WAITING) && claim.startCheck()) {
            grant(claim, context.ticker().nanos()).whenComplete((done, failure) -> ended(claim, failure));
        }
    }

    private CompletableFuture<Boolean> checked(KeyClaim claim, TxnResponse answer, long sent) {
        Line line = LineReads.line(claim.claim.lockName(), answer.getGetResponses());
        Entry own = line.of(claim.claim.holder());
        if (own == null || own.createRevision() != claim.createRevision()) {
            lose(claim, "its key was deleted");
            return CompletableFuture.completedFuture(false);
        }
        Line.Obstacle obstacle = line.before(claim.claim.holder());
        if (obstacle != null) {
            await(claim, obstacle, answer.getHeader().getRevision(), null);
            return CompletableFuture.completedFuture(false);
        }
        return grant(claim, sent);
    }

    private CompletableFuture<Boolean> grant(KeyClaim claim, long sent) {
        EtcdLease lease = claim.lease();
        long left = lease.validUntil() - context.ticker().nanos();
        CompletableFuture<Boolean> alive =
                left > claim.claim.ttl().toNanos() / 4 ? CompletableFuture.completedFuture(true) : lease.keepAlive();
        return alive.thenCompose(kept -> kept
                        ? grants.announceDelay(claim, calls.deadline(claim.claim.ttl()))
                        : CompletableFuture.completedFuture(false))
                .thenApply(mine -> {
                    if (!mine) {
                        lose(claim, "its etcd lease has ended");
                    } else if (grants.hold(claim, sent)) {
                        claim.granted.complete(grants.granted(claim, sent));
                    }
                    return mine;
                });
    }

    private void watch(KeyClaim claim, Line.Obstacle obstacle, long seenAt, @Nullable Entry sole) {
        ByteSequence target;
        ByteSequence from;
        @Nullable ByteSequence to;
        if (obstacle instanceof Line.Obstacle.Claimed claimed) {
            target = claimed.by().key();
            from = target;
            to = null;
        } else {
            target = obstacle instanceof Line.Obstacle.Delayed
                    ? keys.delays(claim.claim.lockName())
                    : keys.queue(claim.claim.lockName());
            from = target;
            to = KeySpace.endOf(target);
        }
        if (claim.watches(target)) {
            return;
        }
        boolean ownToo = sole != null && sole.key().equals(target);
        if (ownToo) {
            from = KeySpace.first(target, claim.key);
            to = KeySpace.after(from.equals(target) ? claim.key : target);
        }
        WatchOption.Builder option =
                WatchOption.builder().withCreateNotify(true).withNoPut(true).withRequireLeader(true);
        if (to != null) {
            option.withRange(to);
        }
        Watch.Watcher watcher = calls.watch(from, option.build(), new ObstacleListener(claim, target, seenAt, ownToo));
        KeyClaim.close(claim.watch(target, watcher, Phase.WAITING));
    }

    /** Which events since the read of the line a watch has reported. */
    private enum Reported {
        NOT_CREATED,
        ALL,
        SOME
    }

    /**
     * Listens to one watch. jetcd calls {@link #onError} while it holds a lock, so everything that follows an error is
     * done on another thread.
     */
    private final class ObstacleListener implements Watch.Listener {
        private final KeyClaim claim;
        private final ByteSequence target;
        private final long seenAt;

        /** Whether the claim's own key is watched too. */
        private final boolean ownToo;

        private volatile Reported reported = Reported.NOT_CREATED;

        ObstacleListener(KeyClaim claim, ByteSequence target, long seenAt, boolean ownToo) {
            this.claim = claim;
            this.target = target;
            this.seenAt = seenAt;
            this.ownToo = ownToo;
        }

        @Override
        public void onNext(WatchResponse response) {
            if (response.isCreatedNotify()) {
                created(response.getHeader().getRevision());
            } else if (ownToo) {
                // Both are looked for in the whole response: an event that stands later in it happened later.
                boolean left = deleted(response, target);
                if (deleted(response, claim.key)) {
                    reported = Reported.SOME;
                    check(claim);
                } else if (left && reported == Reported.ALL) {
                    grantUnchecked(claim);
                } else if (left) {
                    check(claim);
                }
            } else if (response.getEvents().stream().anyMatch(ObstacleListener::isDeletion)) {
                check(claim);
            }
        }

        /** Called once. A second call says that jetcd has created another watch in the place of this one. */
        private void created(long revision) {
            boolean gap = revision > seenAt;
            reported = reported == Reported.NOT_CREATED && !gap ? Reported.ALL : Reported.SOME;
            if (gap) {
                check(claim);
            }
        }

        private static boolean deleted(WatchResponse response, ByteSequence key) {
            return response.getEvents().stream()
                    .anyMatch(event ->
                            isDeletion(event) && event.getKeyValue().getKey().equals(key));
        }

        private static boolean isDeletion(WatchEvent event) {
            return event.getEventType() == WatchEvent.EventType.DELETE;
        }

        @Override
        public void onError(Throwable failure) {
            reported = Reported.SOME;
            context.scheduler().schedule(this::replace, Failures.compacted(failure) ? 0 : RETRY);
        }

        private void replace() {
            if (claim.watches(target)) {
                claim.unwatch();
                check(claim);
            }
        }

        @Override
        public void onCompleted() {
            // The store closed the watch, or onError was called before.
        }
    }
}
