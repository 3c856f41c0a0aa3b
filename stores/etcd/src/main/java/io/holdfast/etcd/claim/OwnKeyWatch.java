package io.holdfast.etcd.claim;

import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import io.holdfast.LossReason;
import io.holdfast.etcd.claim.KeyClaim.Phase;
import io.holdfast.etcd.client.EtcdCalls;
import io.holdfast.etcd.line.Entry;
import io.holdfast.spi.StoreContext;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Watches the key of a claim that holds for longer than a moment. The deletion of the key is a loss (U4) and a change
 * of it a revocation; both are signalled at once, before the next renewal finds them.
 */
final class OwnKeyWatch {
    private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(100);

    private final EtcdCalls calls;
    private final StoreContext context;
    private final ClaimExpiry expiry;
    private final ClaimTimer timer;

    OwnKeyWatch(EtcdCalls calls, StoreContext context, ClaimExpiry expiry, ClaimTimer timer) {
        this.calls = calls;
        this.context = context;
        this.expiry = expiry;
        this.timer = timer;
    }

    /** Does what is due for a claim that holds; returns in how many nanoseconds something else is due. */
    long attend(KeyClaim claim, long now) {
        long toEnd = claim.endsAt() - now;
        if (toEnd <= 0) {
            return expiry.expire(claim);
        }
        if (claim.watchesAny()) {
            return toEnd;
        }
        long toWatch = claim.dueAt() - now;
        if (toWatch > 0) {
            return Math.min(toEnd, toWatch);
        }
        watch(claim);
        return toEnd;
    }

    /** The claim's own key in this answer; null if it is gone or the key of a later claim. */
    static @Nullable Entry ownIn(GetResponse answer, KeyClaim claim) {
        for (KeyValue kv : answer.getKvs()) {
            Entry entry = Entry.of(claim.claim.lockName(), kv);
            if (entry != null && entry.createRevision() == claim.createRevision()) {
                return entry;
            }
        }
        return null;
    }

    private void watch(KeyClaim claim) {
        claim.dueAt(context.ticker().nanos() + RETRY);
        if (!claim.mayHaveMissedEvents()) {
            watch(claim, claim.createRevision());
            return;
        }
        calls.get(claim.key, GetOption.DEFAULT, calls.deadline()).whenComplete((answer, failure) -> {
            if (failure != null) {
                timer.by(claim.dueAt());
            } else if (holdsOn(claim, ownIn(answer, claim))) {
                watch(claim, answer.getHeader().getRevision());
            }
        });
    }

    private void watch(KeyClaim claim, long from) {
        WatchOption option =
                WatchOption.builder().withRevision(from).withRequireLeader(true).build();
        Watch.Watcher watcher = calls.watch(claim.key, option, new OwnKeyListener(claim));
        KeyClaim.close(claim.watch(claim.key, watcher, Phase.HELD));
    }

    /** {@code own} is the key now; signals a loss or a revocation, and returns whether there was none. */
    private boolean holdsOn(KeyClaim claim, @Nullable Entry own) {
        if (own == null) {
            if (expiry.lose(claim)) {
                context.signals().lost(claim.claim.holder(), LossReason.GONE);
            }
            return false;
        }
        if (own.revoked()) {
            claim.revoke();
            context.signals().lost(claim.claim.holder(), LossReason.REVOKED);
            return false;
        }
        return true;
    }

    private final class OwnKeyListener implements Watch.Listener {
        private final KeyClaim claim;

        OwnKeyListener(KeyClaim claim) {
            this.claim = claim;
        }

        @Override
        public void onNext(WatchResponse response) {
            for (WatchEvent event : response.getEvents()) {
                boolean deleted = event.getEventType() == WatchEvent.EventType.DELETE;
                holdsOn(claim, deleted ? null : Entry.of(claim.claim.lockName(), event.getKeyValue()));
            }
        }

        @Override
        public void onError(Throwable failure) {
            context.scheduler()
                    .schedule(
                            () -> {
                                claim.watchBroke();
                                claim.unwatch();
                                if (claim.is(Phase.HELD)) {
                                    watch(claim);
                                }
                            },
                            RETRY);
        }

        @Override
        public void onCompleted() {
            // The store closed the watch, or onError was called before.
        }
    }
}
