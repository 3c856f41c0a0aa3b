package io.holdfast.zookeeper.lease;

import io.holdfast.LossReason;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.zookeeper.session.Session;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A claim of this client that has, or may get, a node of a session. Thread-safe. */
public interface SessionClaim {
    /** The claim as the engine asked for it. */
    Claim claim();

    /** The session that the node belongs to, and with which the node ends. */
    Session session();

    /** Whether it was granted and has not ended. */
    boolean isHeld();

    /** Whether it is neither granted nor at its end. */
    boolean isUndecided();

    /** Watches the own node, if it is not watched yet: its deletion and revocation are then noticed at once (U4). */
    void watchNode();

    /** When the TTL of a held claim is over. */
    long ends();

    /** Ends a held claim whose TTL is over. A session has one timeout; each lease has its own TTL. */
    void expire(long now);

    /** Why a renewal that was sent at {@code sent} does not extend the lease; null if it does. */
    @Nullable
    LossReason obstacleToRenewal(long sent);

    /** A renewal that was sent at {@code begin} was confirmed. */
    void extend(long begin);

    /** The node or its session is gone, and this client did not delete it. */
    void over(String why);

    /** Deletes the node, whatever the state of the claim; completes when it is certainly gone. */
    CompletableFuture<ReleaseResult> release();
}
