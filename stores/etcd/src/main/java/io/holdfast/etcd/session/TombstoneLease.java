package io.holdfast.etcd.session;

import io.holdfast.Ticker;
import io.holdfast.etcd.client.Deadline;
import io.holdfast.etcd.client.EtcdCalls;
import io.holdfast.etcd.client.Failures;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The etcd lease that tombstones are put on, so that etcd deletes them after 10 s at the earliest (S6). A lease of 15 s
 * serves the tombstones of 5 s and is never kept alive.
 */
public final class TombstoneLease {
    private static final long LIFE_SECONDS = 15;
    private static final long USE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final EtcdCalls calls;
    private final Ticker ticker;
    private @Nullable CompletableFuture<Long> current;
    private long since;

    /** No lease yet. */
    public TombstoneLease(EtcdCalls calls, Ticker ticker) {
        this.calls = calls;
        this.ticker = ticker;
    }

    /** The number of the lease for a tombstone that is put now. */
    public CompletableFuture<Long> id(Deadline by) {
        long now = ticker.nanos();
        CompletableFuture<Long> fresh;
        synchronized (this) {
            CompletableFuture<Long> known = current;
            if (known != null && !known.isCompletedExceptionally() && now - since < USE_NANOS) {
                return known;
            }
            fresh = new CompletableFuture<>();
            current = fresh;
            since = now;
        }
        calls.grant(LIFE_SECONDS, by).whenComplete((granted, failure) -> {
            if (failure != null) {
                fresh.completeExceptionally(Failures.unwrapped(failure));
            } else {
                fresh.complete(granted.getID());
            }
        });
        return fresh;
    }
}
