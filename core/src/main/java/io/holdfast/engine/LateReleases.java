package io.holdfast.engine;

import io.holdfast.ReleaseOutcome;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ReleaseResult;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends releases and, when the store does not answer, repeats them in the background until it does or until the claim
 * cannot matter any more. Releases whatever may have been granted without anybody to use it: a lost reply, a cancelled
 * future, an interrupted caller (promise 5).
 */
final class LateReleases {
    private static final long FIRST_PAUSE = 50_000_000;
    private static final long LONGEST_PAUSE = 2_000_000_000;

    private final Env env;
    private final AtomicInteger underWay = new AtomicInteger();

    LateReleases(Env env) {
        this.env = env;
    }

    /** Releases a claim that nobody uses. */
    void release(Claim claim) {
        release(claim, false, outcome -> {});
    }

    /**
     * Releases a claim. {@code first} hears what the first request found, {@link ReleaseOutcome#UNKNOWN} if it was not
     * answered; repeats go on after that.
     */
    void release(Claim claim, boolean mayBlock, Consumer<ReleaseOutcome> first) {
        underWay.incrementAndGet();
        long giveUp =
                env.ticker.nanos() + claim.ttl().toNanos() + claim.lockDelay().toNanos() + env.ioNanos;
        send(claim, mayBlock, first, giveUp, FIRST_PAUSE);
    }

    /** Whether releases are still being repeated. */
    boolean quiet() {
        return underWay.get() == 0;
    }

    private void send(Claim claim, boolean mayBlock, Consumer<ReleaseOutcome> told, long giveUp, long pause) {
        env.call(mayBlock, () -> env.store.release(claim), (result, failure) -> {
            if (result != null) {
                underWay.decrementAndGet();
                told.accept(outcome(result));
                return;
            }
            told.accept(ReleaseOutcome.UNKNOWN);
            if (retryable(failure) && giveUp - env.ticker.nanos() > 0) {
                long longer = Math.min(pause * 2, LONGEST_PAUSE);
                env.scheduler.schedule(() -> send(claim, false, outcome -> {}, giveUp, longer), pause);
            } else {
                underWay.decrementAndGet();
            }
        });
    }

    private static boolean retryable(@Nullable Throwable failure) {
        return failure instanceof StoreUnavailableException;
    }

    static ReleaseOutcome outcome(ReleaseResult result) {
        if (result instanceof ReleaseResult.NotHeld notHeld) {
            return notHeld.takenBy() == null ? ReleaseOutcome.EXPIRED : ReleaseOutcome.TAKEN;
        }
        return ReleaseOutcome.RELEASED;
    }
}
