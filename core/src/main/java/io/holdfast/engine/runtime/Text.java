package io.holdfast.engine.runtime;

import io.holdfast.Holder;
import io.holdfast.spi.Refused;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Sentences for people. */
public final class Text {
    private Text() {}

    public static String of(Duration duration) {
        long millis = duration.toMillis();
        if (millis < 10_000) {
            return millis + " ms";
        }
        if (millis < 600_000) {
            return millis / 1000 + " s";
        }
        if (duration.toHours() < 10) {
            return duration.toMinutes() + " min";
        }
        return duration.toDays() < 4 ? duration.toHours() + " h" : duration.toDays() + " days";
    }

    public static String nanos(long nanos) {
        return of(Duration.ofNanos(nanos));
    }

    /** This client leaves the name to other clients, which wait for it (L21). */
    public static Refused standsBack(long nanos) {
        return new Refused(null, null, false, Duration.ofNanos(nanos));
    }

    /**
     * What a store said was in the way, {@code age} nanoseconds ago. A holder whose lease may have ended since then is
     * not said to hold (L14).
     */
    public static String obstacle(Refused refused, long age) {
        Duration remaining = refused.remaining();
        long left = remaining == null ? 0 : remaining.toNanos() - age;
        boolean past = past(refused, age);
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

    /** The holder that is in the way, if the store told one {@code age} nanoseconds ago and its lease may still last. */
    public static @Nullable Holder holder(Refused refused, long age) {
        return refused.inLockDelay() || past(refused, age) ? null : refused.heldBy();
    }

    /** How long the obstacle lasts unless it is renewed, if the store told it and it may still last. */
    public static @Nullable Duration remaining(Refused refused, long age) {
        Duration remaining = refused.remaining();
        return remaining == null || past(refused, age) ? null : remaining.minusNanos(age);
    }

    private static boolean past(Refused refused, long age) {
        Duration remaining = refused.remaining();
        return remaining != null && remaining.toNanos() <= age;
    }
}
