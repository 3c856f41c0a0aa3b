package io.holdfast.zookeeper;

import io.holdfast.LossReason;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ReleaseResult;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A claim of this client that has, or may get, a node. */
interface Kept {
    Claim claim();

    /** The session that its node belongs to, and with which it ends. */
    Session session();

    boolean isHeld();

    /** Whether it was asked for and is not decided yet. */
    boolean isWaiting();

    /** Whether its own node is watched. */
    boolean isArmed();

    /** Watches the own node; its deletion is then noticed at once (U4). {@code known} hears of what is wrong with it. */
    void arm(Consumer<@Nullable LossReason> known);

    /** When its TTL is over. */
    long ends();

    /** Ends it if its TTL is over: a session has one timeout, leases have their own. */
    void expire(long now);

    /** Why a renewal that was sent at {@code sent} does not extend it; null if it does. */
    @Nullable
    LossReason obstacleToRenewal(long sent);

    /** A renewal that was sent at {@code begin} was confirmed. */
    void extend(long begin);

    /** The node or its session is gone without our doing. */
    void over(LossReason reason, String why);

    /** Deletes the node, however far it has come; completes when it is certainly gone. */
    CompletableFuture<ReleaseResult> release();
}
