package io.holdfast.redis.wire;

import java.util.concurrent.CompletionStage;

/** Looks at the servers of a new connection before it is used. */
@FunctionalInterface
public interface ConnectionCheck {
    /** Completes when they are fit; fails with an {@link IllegalArgumentException} that says why they are not. */
    CompletionStage<Void> of(RedisConnection fresh);
}
