package io.holdfast.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import io.holdfast.spi.Claim;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Claims in the line that do not hold yet. Each watches the one thing that must go before it can be its turn; when that
 * goes it looks again, and a grant is believed only after the own key was read and the own lease is known to be alive.
 *
 * <p>No event is missed: etcd says with the creation of a watch at which revision it begins. If that is later than the
 * one at which the obstacle was seen, the claim looks once more. (A watch could also be asked to begin at that earlier
 * revision. But etcd tells a watch that begins in the past of events every 100 ms only, and a compaction up to the very
 * revision of a deletion removes that event and is not reported.)
 *
 * <p>A watch that breaks (a lost connection, a member without a leader, a compaction) is never continued: whatever
 * happened meanwhile is in the line, which is read again. (jetcd resumes a broken watch from the revision at which it
 * was created, and may so skip what happened in between.) Beside the watch everybody looks every few seconds: a watch on
 * a member that was cut off says nothing.
 */
final class Waiting {
    private static final long SHORTEST_LOOK = TimeUnit.SECONDS.toNanos(2);
    private static final long LONGEST_LOOK = TimeUnit.SECONDS.toNanos(10);
    private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(100);

    private final Env env;
    private final Entering entering;
    private final Upkeep upkeep;

    Waiting(Env env, Entering entering, Upkeep upkeep) {
        this.env = env;
        this.entering = entering;
        this.upkeep = upkeep;
    }

    /** It was seen at {@code revision} that this stands before the claim. */
    void await(Place place, Line.Obstacle obstacle, long revision) {
        long now = env.clock().nanos();
        long pause = Math.max(SHORTEST_LOOK, Math.min(place.claim.ttl().toNanos() / 3, LONGEST_LOOK));
        place.lookAt(now + pause);
        upkeep.by(Math.min(place.lookAt() - now, place.endsAt() - now) + now);
        watch(place, obstacle, revision);
    }

    /** Looks whether it is this claim's turn. */
    void look(Place place) {
        if (!place.is(Place.Phase.WAITING) || !place.startLook()) {
            return;
        }
        Claim claim = place.claim;
        long sent = env.clock().nanos();
        List<Op> reads = new ArrayList<>();
        reads.add(Op.get(place.key, GetOption.DEFAULT));
        reads.addAll(LineReads.upTo(env.keys(), claim.lockName(), claim.mode(), place.createRevision()));
        env.wire()
                .txn(List.of(), reads, List.of(), env.ioNanos())
                .thenCompose(answer -> seen(place, answer, sent))
                .whenComplete((done, failure) -> {
                    boolean again = place.endLook();
                    if (failure != null) {
                        lookSoon(place);
                    } else if (again) {
                        look(place);
                    }
                });
    }

    private CompletableFuture<Boolean> seen(Place place, TxnResponse answer, long sent) {
        Line line = LineReads.line(answer.getGetResponses(), 1);
        Entry own = line.of(place.claim.holder());
        if (own == null || own.createRevision() != place.createRevision()) {
            gone(place, "its key was deleted");
            return CompletableFuture.completedFuture(false);
        }
        Line.Obstacle obstacle = line.before(place.claim.holder());
        if (obstacle != null) {
            await(place, obstacle, answer.getHeader().getRevision());
            return CompletableFuture.completedFuture(false);
        }
        return grant(place, sent);
    }

    private CompletableFuture<Boolean> grant(Place place, long sent) {
        EtcdSession session = place.session();
        long left = session.validUntil() - env.clock().nanos();
        CompletableFuture<Boolean> alive =
                left > place.claim.ttl().toNanos() / 4 ? CompletableFuture.completedFuture(true) : session.keepAlive();
        return alive.thenCompose(kept -> kept
                        ? entering.announceDelay(place, env.clock().nanos())
                        : CompletableFuture.completedFuture(false))
                .thenApply(mine -> {
                    if (!mine) {
                        gone(place, "its etcd lease has ended");
                    } else if (upkeep.hold(place, sent)) {
                        place.granted.complete(env.grant(place, sent));
                    }
                    return mine;
                });
    }

    private void gone(Place place, String why) {
        if (place.move(Place.Phase.WAITING, Place.Phase.OVER)) {
            env.book().remove(place);
            env.book().keyGone(place);
            Upkeep.close(place.unwatch());
            place.lost(why, null);
        }
    }

    private void watch(Place place, Line.Obstacle obstacle, long seenAt) {
        ByteSequence target;
        boolean range = true;
        if (obstacle instanceof Line.Obstacle.Claimed claimed) {
            target = claimed.by().key();
            range = false;
        } else if (obstacle instanceof Line.Obstacle.Delayed) {
            target = env.keys().delays(place.claim.lockName());
        } else {
            target = env.keys().queue(place.claim.lockName());
        }
        if (place.watches(target)) {
            return;
        }
        WatchOption.Builder option =
                WatchOption.builder().withCreateNotify(true).withNoPut(true).withRequireLeader(true);
        if (range) {
            option.withRange(KeySpace.endOf(target));
        }
        Watch.Watcher watcher = env.wire().watch(target, option.build(), new Ear(place, target, seenAt));
        Upkeep.close(place.watch(target, watcher, Place.Phase.WAITING));
    }

    private void lookSoon(Place place) {
        env.clock().after(RETRY, () -> look(place));
    }

    /** Hears of one watch. jetcd calls it with a lock held when something is wrong: nothing is done on its thread then. */
    private final class Ear implements Watch.Listener {
        private final Place place;
        private final ByteSequence target;
        private final long seenAt;

        Ear(Place place, ByteSequence target, long seenAt) {
            this.place = place;
            this.target = target;
            this.seenAt = seenAt;
        }

        @Override
        public void onNext(WatchResponse response) {
            if (response.isCreatedNotify()) {
                if (response.getHeader().getRevision() > seenAt) {
                    look(place);
                }
                return;
            }
            for (WatchEvent event : response.getEvents()) {
                if (event.getEventType() == WatchEvent.EventType.DELETE) {
                    look(place);
                    return;
                }
            }
        }

        @Override
        public void onError(Throwable failure) {
            env.clock().after(Failures.compacted(failure) ? 0 : RETRY, () -> {
                if (place.watches(target)) {
                    Upkeep.close(place.unwatch());
                    look(place);
                }
            });
        }

        @Override
        public void onCompleted() {
            // Closed by ourselves, or after an error that was told.
        }
    }
}
