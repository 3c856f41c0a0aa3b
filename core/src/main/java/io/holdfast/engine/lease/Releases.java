package io.holdfast.engine.lease;

import io.holdfast.ReleaseOutcome;
import io.holdfast.StoreUnavailableException;
import io.holdfast.engine.runtime.ClientTime;
import io.holdfast.engine.runtime.StoreCalls;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ReleaseResult;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends the releases of one client: those of leases, and those of claims that no request uses, after a lost reply, a
 * cancelled future or an interrupted wait (promise 5). A release that the store does not answer is repeated until the
 * store answers or the claim cannot matter any more.
 *
 * <p>Every release is counted in {@link StoreCalls#unfinished()} from before it is handed over until its last answer.
 */
public final class Releases {
    private static final long FIRST_PAUSE = 50_000_000;

    /** How long a store remembers a release that found nothing (L1): so long an acquire may still be on its way. */
    private static final long TOMBSTONE = 10_000_000_000L;

    private static final long LONGEST_PAUSE = 2_000_000_000;

    private static final Told NOT_TOLD = outcome -> {};

    private final StoreCalls calls;
    private final ClientTime time;
    private final BiConsumer<String, Duration> standBack;

    /** What hears what the first request of a release found. */
    @FunctionalInterface
    public interface Told {
        void accept(ReleaseOutcome outcome);
    }

    /** With what is to happen if other clients wait for a released name (L21): the client leaves it to them for a while. */
    public Releases(StoreCalls calls, ClientTime time, BiConsumer<String, Duration> standBack) {
        this.calls = calls;
        this.time = time;
        this.standBack = standBack;
    }

    /** Releases a grant of a client that is being closed, on a thread that may block; after a renewal being sent. */
    public void release(HeldGrant grant) {
        calls.unfinished().begin();
        if (!grant.afterRenewal(() -> release(grant.claim()))) {
            release(grant.claim(), true, NOT_TOLD);
        }
    }

    /** Releases a claim that no request uses. The caller has counted the call. */
    public void release(Claim claim) {
        release(claim, false, NOT_TOLD);
    }

    /**
     * Releases a claim. The caller has counted the call.
     *
     * @param mayBlock whether a store that does its I/O on the calling thread may do it here
     * @param first hears what the first request found, {@link ReleaseOutcome#UNKNOWN} if the store did not answer it
     */
    public void release(Claim claim, boolean mayBlock, Told first) {
        if (mayBlock || !calls.info().blocking()) {
            sendHere(claim, first, 0, FIRST_PAUSE);
        } else {
            sendElsewhere(claim, first, 0, FIRST_PAUSE);
        }
    }

    /** On a thread that may block, if the store does its I/O on the calling thread. */
    private void sendElsewhere(Claim claim, Told told, long giveUp, long pause) {
        boolean taken;
        try {
            taken = calls.offer(() -> sendHere(claim, told, giveUp, pause));
        } catch (Throwable e) {
            unanswered(claim, told, giveUp, pause, e);
            return;
        }
        if (!taken) {
            ended(told, ReleaseOutcome.UNKNOWN);
        }
    }

    private void sendAgain(Claim claim, long giveUp, long pause) {
        if (calls.info().blocking()) {
            sendElsewhere(claim, NOT_TOLD, giveUp, pause);
        } else {
            sendHere(claim, NOT_TOLD, giveUp, pause);
        }
    }

    /** The uncontended path: no lambda is made if the store answers at once. */
    private void sendHere(Claim claim, Told told, long giveUp, long pause) {
        CompletionStage<ReleaseResult> stage;
        try {
            stage = calls.store().release(claim);
        } catch (Throwable e) {
            unanswered(claim, told, giveUp, pause, e);
            return;
        }
        ReleaseResult known = StoreCalls.known(stage);
        if (known != null) {
            answered(claim, told, known);
        } else {
            stage.whenComplete((result, failure) -> {
                if (result != null) {
                    answered(claim, told, result);
                } else {
                    unanswered(claim, told, giveUp, pause, StoreCalls.unwrapped(failure));
                }
            });
        }
    }

    private void unanswered(Claim claim, Told told, long giveUp, long pause, @Nullable Throwable failure) {
        long now = time.nanos();
        long until = giveUp != 0 ? giveUp : now + mattersFor(claim) + calls.ioNanos();
        if (!retryable(failure) || until - now <= 0) {
            ended(told, ReleaseOutcome.UNKNOWN);
            return;
        }
        told.accept(ReleaseOutcome.UNKNOWN);
        long longer = Math.min(pause * 2, LONGEST_PAUSE);
        time.schedule(() -> sendAgain(claim, until, longer), pause);
    }

    private static long mattersFor(Claim claim) {
        return Math.max(TOMBSTONE, claim.ttl().toNanos() + claim.lockDelay().toNanos());
    }

    /** The client stands back first: what hears of the release may ask for the lock at once. */
    private void answered(Claim claim, Told told, ReleaseResult result) {
        if (result instanceof ReleaseResult.Released released
                && !released.standBack().isZero()) {
            standBack.accept(claim.lockName(), released.standBack());
        }
        ended(told, outcome(result));
    }

    private void ended(Told told, ReleaseOutcome outcome) {
        try {
            told.accept(outcome);
        } finally {
            calls.unfinished().end();
        }
    }

    /** An {@code Error} says nothing of the store: no memory, no stack, no thread (L13). */
    private static boolean retryable(@Nullable Throwable failure) {
        return failure instanceof StoreUnavailableException || failure instanceof Error;
    }

    /** What the holder is told about this answer. */
    public static ReleaseOutcome outcome(ReleaseResult result) {
        if (result instanceof ReleaseResult.NotHeld notHeld) {
            return notHeld.takenBy() == null ? ReleaseOutcome.EXPIRED : ReleaseOutcome.TAKEN;
        }
        return ReleaseOutcome.RELEASED;
    }
}
