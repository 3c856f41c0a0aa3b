package io.holdfast.engine;

import io.holdfast.Holder;
import io.holdfast.spi.Refused;
import java.time.Duration;

/** Sentences for people. */
final class Text {
    private Text() {}

    static String of(Duration duration) {
        long millis = duration.toMillis();
        if (millis < 10_000) {
            return millis + " ms";
        }
        return millis < 600_000 ? millis / 1000 + " s" : duration.toMinutes() + " min";
    }

    static String nanos(long nanos) {
        return of(Duration.ofNanos(nanos));
    }

    /** This client leaves the name to other clients, which wait for it (L21). */
    static Refused standsBack(long nanos) {
        return new Refused(null, null, false, Duration.ofNanos(nanos));
    }

    /**
     * What a store said was in the way, {@code age} nanoseconds ago. A holder whose lease may have ended since then is
     * not said to hold (L14).
     */
    static String obstacle(Refused refused, long age) {
        Duration remaining = refused.remaining();
        long left = remaining == null ? 0 : remaining.toNanos() - age;
        boolean past = remaining != null && left <= 0;
        if (refused.inLockDelay()) {
            String until = left > 0 ? " for another " + nanos(left) : "";
            return past ? "" : "; the lock-delay of a lost lease keeps it closed" + until;
        }
        Holder holder = refused.heldBy();
        if (holder == null) {
            return refused.retryAfter() == null ? "" : "; other clients wait for it and have the next turn";
        }
        String who = holder.label() + " under token " + holder.token();
        if (past) {
            return "; " + nanos(age) + " ago it was held by " + who;
        }
        return "; held by " + who + (left > 0 ? ", for another " + nanos(left) + " unless renewed" : "");
    }
}
