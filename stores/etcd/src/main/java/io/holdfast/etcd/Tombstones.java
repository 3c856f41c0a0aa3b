package io.holdfast.etcd;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The etcd lease on which tombstones live for at least 10 s (S6). One serves all of five seconds, and runs out. */
final class Tombstones {
    private static final long LIFE_SECONDS = 15;
    private static final long USE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Env env;
    private @Nullable CompletableFuture<Long> current;
    private long since;

    Tombstones(Env env) {
        this.env = env;
    }

    CompletableFuture<Long> lease(long nanos) {
        long now = env.clock().nanos();
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
        env.wire().grant(LIFE_SECONDS, nanos).whenComplete((granted, failure) -> {
            if (failure != null) {
                fresh.completeExceptionally(Failures.unwrapped(failure));
            } else {
                fresh.complete(granted.getID());
            }
        });
        return fresh;
    }
}
