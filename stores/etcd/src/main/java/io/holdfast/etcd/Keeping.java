package io.holdfast.etcd;

import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import io.holdfast.LossReason;
import io.holdfast.spi.Claim;
import io.holdfast.spi.RenewResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Claims that hold. A renewal counts only if the etcd lease was kept alive <em>and</em> the own key is still there with
 * the same create revision (U4): a keep-alive succeeds all the same when somebody has deleted the key. Between two
 * renewals the key is watched, and its deletion, or the mark of a revocation, is told at once.
 */
final class Keeping {
    /** Claims in one transaction, with two reads each at most; etcd takes 128 operations unless it is told otherwise. */
    static final int BATCH = 60;

    private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(100);

    private final Env env;
    private final Upkeep upkeep;

    Keeping(Env env, Upkeep upkeep) {
        this.env = env;
        this.upkeep = upkeep;
    }

    CompletableFuture<List<RenewResult>> renew(List<Claim> claims) {
        long sent = env.clock().nanos();
        RenewResult[] results = new RenewResult[claims.size()];
        Place[] places = new Place[claims.size()];
        List<Integer> asked = new ArrayList<>();
        Map<EtcdSession, CompletableFuture<Boolean>> alive = new HashMap<>();
        for (int i = 0; i < results.length; i++) {
            Place place = env.book().of(claims.get(i));
            if (place == null || !place.is(Place.Phase.HELD) || place.endsAt() - sent <= 0) {
                results[i] = new RenewResult.Lost(LossReason.GONE);
            } else if (place.isRevoked()) {
                results[i] = new RenewResult.Lost(LossReason.REVOKED);
            } else {
                places[i] = place;
                asked.add(i);
                alive.computeIfAbsent(place.session(), EtcdSession::keepAlive);
            }
        }
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int start = 0; start < asked.size(); start += BATCH) {
            List<Integer> batch = asked.subList(start, Math.min(start + BATCH, asked.size()));
            all.add(renewBatch(batch, places, results, alive, sent));
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).thenApply(done -> Arrays.asList(results));
    }

    private CompletableFuture<?> renewBatch(
            List<Integer> batch,
            Place[] places,
            RenewResult[] results,
            Map<EtcdSession, CompletableFuture<Boolean>> alive,
            long sent) {
        List<Op> reads = new ArrayList<>();
        for (int i : batch) {
            Claim claim = places[i].claim;
            reads.add(Op.get(places[i].key, GetOption.DEFAULT));
            if (!claim.lockDelay().isZero()) {
                reads.add(Op.get(places[i].delayKey, GetOption.DEFAULT));
            }
        }
        CompletableFuture<List<GetResponse>> read = env.wire()
                .txn(List.of(), reads, List.of(), env.ioNanos())
                .thenApply(answer -> answer.getGetResponses());
        CompletableFuture<?>[] needed = new CompletableFuture<?>[batch.size() + 1];
        needed[0] = read;
        for (int i = 0; i < batch.size(); i++) {
            needed[i + 1] = alive.get(places[batch.get(i)].session());
        }
        return CompletableFuture.allOf(needed).handle((done, failure) -> {
            int answer = 0;
            for (int i : batch) {
                Place place = places[i];
                boolean delays = !place.claim.lockDelay().isZero();
                results[i] = result(place, read, alive.get(place.session()), answer, delays, sent);
                answer += delays ? 2 : 1;
            }
            return batch.size();
        });
    }

    private RenewResult result(
            Place place,
            CompletableFuture<List<GetResponse>> read,
            @Nullable CompletableFuture<Boolean> alive,
            int answer,
            boolean delays,
            long sent) {
        if (alive == null || alive.isCompletedExceptionally()) {
            return unanswered(alive);
        }
        if (!alive.join()) {
            return new RenewResult.Lost(LossReason.GONE);
        }
        if (read.isCompletedExceptionally()) {
            return unanswered(read);
        }
        Entry own = ownIn(read.join().get(answer), place);
        if (own == null || (delays && read.join().get(answer + 1).getKvs().isEmpty())) {
            lose(place);
            return new RenewResult.Lost(LossReason.GONE);
        }
        if (own.revoked()) {
            place.revoke();
            return new RenewResult.Lost(LossReason.REVOKED);
        }
        return place.extend(sent + place.claim.ttl().toNanos())
                ? new RenewResult.Renewed(env.term(place, sent))
                : new RenewResult.Lost(LossReason.GONE);
    }

    private static RenewResult unanswered(@Nullable CompletableFuture<?> failed) {
        Throwable cause = failed == null
                ? new IllegalStateException("nothing was sent")
                : failed.handle((done, failure) -> Failures.unwrapped(failure)).join();
        return new RenewResult.Unanswered(cause);
    }

    /** Watches the own key: its deletion is a loss (U4), a change of it a revocation. */
    void watchOwn(Place place) {
        place.lookAt(env.clock().nanos() + RETRY);
        if (place.mayHaveMissed()) {
            env.wire().get(place.key, GetOption.DEFAULT, env.ioNanos()).whenComplete((answer, failure) -> {
                if (failure != null) {
                    upkeep.by(place.lookAt());
                } else if (heard(place, ownIn(answer, place))) {
                    watchOwn(place, answer.getHeader().getRevision());
                }
            });
        } else {
            watchOwn(place, place.createRevision());
        }
    }

    private void watchOwn(Place place, long from) {
        WatchOption option =
                WatchOption.builder().withRevision(from).withRequireLeader(true).build();
        Watch.Watcher watcher = env.wire().watch(place.key, option, new Ear(place));
        Upkeep.close(place.watch(place.key, watcher, Place.Phase.HELD));
    }

    /** What is known of the own key now; true if it goes on as before. */
    private boolean heard(Place place, @Nullable Entry own) {
        if (own == null) {
            if (lose(place)) {
                env.clock().attached().signals().lost(place.claim.holder(), LossReason.GONE);
            }
            return false;
        }
        if (own.revoked()) {
            place.revoke();
            env.clock().attached().signals().lost(place.claim.holder(), LossReason.REVOKED);
            return false;
        }
        return true;
    }

    /** The key is gone; true for the one who finds out first. Its lock-delay begins. */
    boolean lose(Place place) {
        boolean delays = !place.claim.lockDelay().isZero();
        boolean first = place.move(Place.Phase.HELD, delays ? Place.Phase.DELAYING : Place.Phase.OVER);
        if (first) {
            Upkeep.close(place.unwatch());
            env.book().ended(place.claim.holder());
            if (delays) {
                place.endsAt(env.clock().nanos() + place.claim.lockDelay().toNanos());
                upkeep.by(place.endsAt());
            } else {
                env.book().remove(place);
                env.book().keyGone(place);
            }
        }
        return first;
    }

    private static @Nullable Entry ownIn(GetResponse answer, Place place) {
        for (KeyValue kv : answer.getKvs()) {
            Entry entry = Entry.of(kv);
            if (entry != null && entry.createRevision() == place.createRevision()) {
                return entry;
            }
        }
        return null;
    }

    private final class Ear implements Watch.Listener {
        private final Place place;

        Ear(Place place) {
            this.place = place;
        }

        @Override
        public void onNext(WatchResponse response) {
            for (WatchEvent event : response.getEvents()) {
                boolean deleted = event.getEventType() == WatchEvent.EventType.DELETE;
                heard(place, deleted ? null : Entry.of(event.getKeyValue()));
            }
        }

        @Override
        public void onError(Throwable failure) {
            env.clock().after(RETRY, () -> {
                place.missed();
                Upkeep.close(place.unwatch());
                if (place.is(Place.Phase.HELD)) {
                    watchOwn(place);
                }
            });
        }

        @Override
        public void onCompleted() {
            // Closed by ourselves, or after an error that was told.
        }
    }
}
