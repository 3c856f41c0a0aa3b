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
import org.jspecify.annotations.Nullable;

/**
 * Claims in the line that do not hold yet. Each watches the one thing that must go before it can be its turn; when that
 * goes it looks again, and a grant is believed only after the own key was read and the own lease is known to be alive.
 *
 * <p>Whoever has a single claim before it need not look: it watches the keys from that claim's to its own, and one watch
 * tells of its keys in the order of their revisions. If that claim goes and the own key has not gone until then, the own
 * key was there at that revision, with nobody before it, which is all that a look could say (ADR 11). This holds for a
 * watch that began where the line was read and never broke; any other watch is a hint to look.
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

    /**
     * It was seen at {@code revision} that this stands before the claim.
     *
     * @param sole the claim after which it is this one's turn for certain; null if there is none
     */
    void await(Place place, Line.Obstacle obstacle, long revision, @Nullable Entry sole) {
        long now = env.clock().nanos();
        long pause = Math.max(SHORTEST_LOOK, Math.min(place.claim.ttl().toNanos() / 3, LONGEST_LOOK));
        place.lookAt(now + pause);
        upkeep.by(Math.min(place.lookAt() - now, place.endsAt() - now) + now);
        watch(place, obstacle, revision, sole);
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
                .whenComplete((done, failure) -> looked(place, failure));
    }

    private void looked(Place place, @Nullable Throwable failure) {
        boolean again = place.endLook();
        if (failure != null) {
            lookSoon(place);
        } else if (again) {
            look(place);
        }
    }

    /** It is this claim's turn, and its key was there when that became so. */
    private void turn(Place place) {
        if (place.is(Place.Phase.WAITING) && place.startLook()) {
            grant(place, env.clock().nanos()).whenComplete((done, failure) -> looked(place, failure));
        }
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
            await(place, obstacle, answer.getHeader().getRevision(), null);
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

    private void watch(Place place, Line.Obstacle obstacle, long seenAt, @Nullable Entry sole) {
        ByteSequence target;
        ByteSequence from;
        @Nullable ByteSequence to;
        if (obstacle instanceof Line.Obstacle.Claimed claimed) {
            target = claimed.by().key();
            from = target;
            to = null;
        } else {
            target = obstacle instanceof Line.Obstacle.Delayed
                    ? env.keys().delays(place.claim.lockName())
                    : env.keys().queue(place.claim.lockName());
            from = target;
            to = KeySpace.endOf(target);
        }
        if (place.watches(target)) {
            return;
        }
        boolean certain = sole != null && sole.key().equals(target);
        if (certain) {
            from = KeySpace.first(target, place.key);
            to = KeySpace.after(from.equals(target) ? place.key : target);
        }
        WatchOption.Builder option =
                WatchOption.builder().withCreateNotify(true).withNoPut(true).withRequireLeader(true);
        if (to != null) {
            option.withRange(to);
        }
        Watch.Watcher watcher = env.wire().watch(from, option.build(), new Ear(place, target, seenAt, certain));
        Upkeep.close(place.watch(target, watcher, Place.Phase.WAITING));
    }

    private void lookSoon(Place place) {
        env.clock().after(RETRY, () -> look(place));
    }

    /** How much of what happened since the line was read a watch has told. */
    private enum Heard {
        NOTHING_YET,
        ALL,
        PART
    }

    /** Hears of one watch. jetcd calls it with a lock held when something is wrong: nothing is done on its thread then. */
    private final class Ear implements Watch.Listener {
        private final Place place;
        private final ByteSequence target;
        private final long seenAt;

        /** Whether the own key is watched too. */
        private final boolean range;

        private volatile Heard heard = Heard.NOTHING_YET;

        Ear(Place place, ByteSequence target, long seenAt, boolean range) {
            this.place = place;
            this.target = target;
            this.seenAt = seenAt;
            this.range = range;
        }

        @Override
        public void onNext(WatchResponse response) {
            if (response.isCreatedNotify()) {
                began(response.getHeader().getRevision());
            } else if (range) {
                // All of it is looked through first: what stands later in it happened later.
                boolean left = deleted(response, target);
                if (deleted(response, place.key)) {
                    heard = Heard.PART;
                    look(place);
                } else if (left && heard == Heard.ALL) {
                    turn(place);
                } else if (left) {
                    look(place);
                }
            } else if (response.getEvents().stream().anyMatch(Ear::isDeletion)) {
                look(place);
            }
        }

        /** Told once. If it is told again, jetcd has begun another watch in the place of this one. */
        private void began(long revision) {
            boolean gap = revision > seenAt;
            heard = heard == Heard.NOTHING_YET && !gap ? Heard.ALL : Heard.PART;
            if (gap) {
                look(place);
            }
        }

        private boolean deleted(WatchResponse response, ByteSequence key) {
            return response.getEvents().stream()
                    .anyMatch(event ->
                            isDeletion(event) && event.getKeyValue().getKey().equals(key));
        }

        private static boolean isDeletion(WatchEvent event) {
            return event.getEventType() == WatchEvent.EventType.DELETE;
        }

        @Override
        public void onError(Throwable failure) {
            heard = Heard.PART;
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
