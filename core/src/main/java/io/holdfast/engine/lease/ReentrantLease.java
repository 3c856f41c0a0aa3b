package io.holdfast.engine.lease;

import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.Loss;
import io.holdfast.Mode;
import io.holdfast.ReleaseOutcome;
import io.holdfast.Sequencer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A lease inside another one of the same thread: the same grant under the same token, released with the last. */
final class ReentrantLease implements Lease {
    private final LeaseHandle outer;

    /** Set when this handle is left; guarded by this. */
    private @Nullable ReleaseAnswer answer;

    ReentrantLease(LeaseHandle outer) {
        this.outer = outer;
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
        return answer != null ? LeaseState.RELEASED : outer.state();
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
        return leave(Thread.currentThread()).await();
    }

    @Override
    public CompletableFuture<ReleaseOutcome> releaseAsync() {
        return leave(null).future();
    }

    @Override
    public void close() {
        release();
    }

    @Override
    public String toString() {
        return "re-entrant " + outer;
    }

    private ReleaseAnswer leave(@Nullable Thread caller) {
        ReleaseAnswer mine;
        synchronized (this) {
            if (answer != null) {
                return answer;
            }
            mine = new ReleaseAnswer(outer, caller);
            answer = mine;
        }
        outer.leaveOne(mine);
        return mine;
    }
}
