package io.holdfast.redis.claim;

import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.wire.SupervisedConnection;

/**
 * Grants and renewals have to reach replicas. They go over a connection of their own, on which WAIT follows them (U18).
 *
 * @param connection for what grants or renews
 * @param replicas how many replicas have to acknowledge it
 */
public record Replication(SupervisedConnection connection, int replicas) {
    StoreUnavailableException tooFew(String what, int reached, boolean outcomeUnknown) {
        return new StoreUnavailableException(
                what + " reached " + reached + " replicas in time, but replicas=" + replicas
                        + " asks for more: look at the replication of " + connection.where(),
                outcomeUnknown,
                null);
    }
}
