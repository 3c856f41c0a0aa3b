package io.holdfast.engine;

import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.Loss;
import io.holdfast.Mode;
import io.holdfast.ReleaseOutcome;
import io.holdfast.Sequencer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A lease inside another one of the same thread: the same grant under the same token, released with the last. */
final class ReentrantLease extends ReleaseCall implements Lease {
    private final LeaseHandle outer;
    private final Env env;
    private boolean left;

    ReentrantLease(LeaseHandle outer, Env env) {
        this.outer = outer;
        this.env = env;
    }

    @Override
    public String lockName() {
        return outer.lockName();
    }

    @Override
    public Mode mode() {
        return outer.mode();
    }

    @Override
    public long token() {
        return outer.token();
    }

    @Override
    public Sequencer sequencer() {
        return outer.sequencer();
    }

    @Override
    public synchronized LeaseState state() {
        return left ? LeaseState.RELEASED : outer.state();
    }

    @Override
    public Duration remaining() {
        return outer.remaining();
    }

    @Override
    public void ensureValid() {
        if (state() == LeaseState.RELEASED) {
            throw new IllegalStateException("the lease of lock '" + lockName() + "' was released");
        }
        outer.ensureValid();
    }

    @Override
    public Lease onLost(Consumer<? super Loss> action) {
        outer.onLost(action);
        return this;
    }

    @Override
    public Lease onJeopardy(Consumer<? super Duration> action) {
        outer.onJeopardy(action);
        return this;
    }

    @Override
    public Lease detach() {
        outer.detach();
        return this;
    }

    @Override
    public ReleaseOutcome release() {
        return leave(true).await(env);
    }

    @Override
    public CompletableFuture<ReleaseOutcome> releaseAsync() {
        return leave(false).future();
    }

    @Override
    public void close() {
        release();
    }

    @Override
    public String toString() {
        return "re-entrant " + outer;
    }

    private ReleaseCall leave(boolean mayBlock) {
        boolean first;
        synchronized (this) {
            first = !left;
            left = true;
        }
        if (first) {
            outer.leaveInner(mayBlock, this);
        }
        return this;
    }

    @Override
    LeaseHandle ending() {
        return outer;
    }
}
