package io.holdfast.redis.claim;

import io.holdfast.redis.wire.SupervisedConnection;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What all calls about claims need.
 *
 * @param keys of the namespace
 * @param connection for calls
 * @param replication for what grants or renews, if it has to reach replicas
 * @param clock a monotonic clock in nanoseconds, by which terms are counted
 * @param ioTimeout the longest time for one call
 */
public record CallContext(
        LockKeys keys,
        SupervisedConnection connection,
        @Nullable Replication replication,
        LongSupplier clock,
        Duration ioTimeout) {}
