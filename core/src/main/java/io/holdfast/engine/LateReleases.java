package io.holdfast.engine;

import io.holdfast.ReleaseOutcome;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ReleaseResult;
import java.util.concurrent.CompletionStage;
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

    /** How long a store remembers a release that found nothing (L1): so long an acquire may still be on its way. */
    private static final long TOMBSTONE = 10_000_000_000L;

    private static final long LONGEST_PAUSE = 2_000_000_000;

    private final Env env;
    private final AtomicInteger underWay = new AtomicInteger();
    private volatile @Nullable Runnable onQuiet;

    LateReleases(Env env) {
        this.env = env;
    }

    /** Releases a claim that nobody uses. */
    void release(Claim claim) {
        release(claim, false, outcome -> {});
    }

    /** Releases a hold of a client that is being closed, on a thread that may block; after a renewal being sent. */
    void release(Hold hold) {
        underWay.incrementAndGet();
        Consumer<ReleaseOutcome> nobody = outcome -> {};
        if (!hold.afterRenewal(() -> send(hold.claim, false, nobody, 0, FIRST_PAUSE))) {
            send(hold.claim, true, nobody, 0, FIRST_PAUSE);
        }
    }

    /**
     * Releases a claim. {@code first} hears what the first request found, {@link ReleaseOutcome#UNKNOWN} if it was not
     * answered; repeats go on after that.
     *
     * @param mayBlock whether a store that does its I/O on the calling thread may do it here
     */
    void release(Claim claim, boolean mayBlock, Consumer<ReleaseOutcome> first) {
        underWay.incrementAndGet();
        send(claim, mayBlock, first, 0, FIRST_PAUSE);
    }

    /** Runs {@code action} as soon as nothing is being sent or repeated, perhaps more than once. */
    void whenQuiet(Runnable action) {
        onQuiet = action;
        if (underWay.get() == 0) {
            action.run();
        }
    }

    private void send(Claim claim, boolean mayBlock, Consumer<ReleaseOutcome> told, long giveUp, long pause) {
        if (mayBlock || !env.info.blocking()) {
            sendHere(claim, told, giveUp, pause);
        } else {
            offer(claim, told, giveUp, pause);
        }
    }

    private void offer(Claim claim, Consumer<ReleaseOutcome> told, long giveUp, long pause) {
        boolean taken;
        try {
            taken = env.offer(() -> sendHere(claim, told, giveUp, pause));
        } catch (Throwable e) {
            unanswered(claim, told, giveUp, pause, e);
            return;
        }
        if (!taken) {
            ended(told, ReleaseOutcome.UNKNOWN);
        }
    }

    /** The uncontended path: no lambda is made if the store answers at once. */
    private void sendHere(Claim claim, Consumer<ReleaseOutcome> told, long giveUp, long pause) {
        CompletionStage<ReleaseResult> stage;
        try {
            stage = env.store.release(claim);
        } catch (Throwable e) {
            unanswered(claim, told, giveUp, pause, e);
            return;
        }
        ReleaseResult known = Env.known(stage);
        if (known != null) {
            answered(claim, told, known);
        } else {
            stage.whenComplete((result, failure) -> {
                if (result != null) {
                    answered(claim, told, result);
                } else {
                    unanswered(claim, told, giveUp, pause, Env.unwrapped(failure));
                }
            });
        }
    }

    private void unanswered(
            Claim claim, Consumer<ReleaseOutcome> told, long giveUp, long pause, @Nullable Throwable failure) {
        long now = env.ticker.nanos();
        long until = giveUp != 0
                ? giveUp
                : now
                        + Math.max(
                                TOMBSTONE,
                                claim.ttl().toNanos() + claim.lockDelay().toNanos())
                        + env.ioNanos;
        if (!retryable(failure) || until - now <= 0) {
            ended(told, ReleaseOutcome.UNKNOWN);
            return;
        }
        told.accept(ReleaseOutcome.UNKNOWN);
        long longer = Math.min(pause * 2, LONGEST_PAUSE);
        env.scheduler.schedule(() -> send(claim, false, outcome -> {}, until, longer), pause);
    }

    /** The client stands back before anything else happens: what hears of the release may ask for the lock at once. */
    private void answered(Claim claim, Consumer<ReleaseOutcome> told, ReleaseResult result) {
        if (result instanceof ReleaseResult.Released released
                && !released.standBack().isZero()) {
            env.standBack(claim.lockName(), released.standBack());
        }
        ended(told, outcome(result));
    }

    private void ended(Consumer<ReleaseOutcome> told, ReleaseOutcome outcome) {
        boolean quiet = underWay.decrementAndGet() == 0;
        told.accept(outcome);
        Runnable action = onQuiet;
        if (quiet && action != null) {
            action.run();
        }
    }

    /** An {@code Error} says nothing of the store: no memory, no stack, no thread (L13). */
    private static boolean retryable(@Nullable Throwable failure) {
        return failure instanceof StoreUnavailableException || failure instanceof Error;
    }

    static ReleaseOutcome outcome(ReleaseResult result) {
        if (result instanceof ReleaseResult.NotHeld notHeld) {
            return notHeld.takenBy() == null ? ReleaseOutcome.EXPIRED : ReleaseOutcome.TAKEN;
        }
        return ReleaseOutcome.RELEASED;
    }
}
