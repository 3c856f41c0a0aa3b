package io.holdfast.engine;

import io.holdfast.Holder;
import io.holdfast.spi.Refused;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Sentences for people. */
final class Text {
    private Text() {}

    static String of(Duration duration) {
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

    static String nanos(long nanos) {
        return of(Duration.ofNanos(nanos));
    }

    static String obstacle(@Nullable Refused refused) {
        if (refused == null) {
            return "";
        }
        Holder holder = refused.heldBy();
        Duration remaining = refused.remaining();
        String left = remaining == null ? "" : ", for another " + of(remaining);
        if (refused.inLockDelay()) {
            return "; it is closed by the lock-delay of a lost lease" + left;
        }
        return holder == null
                ? ""
                : "; held by " + holder.label() + " under token " + holder.token()
                        + (left.isEmpty() ? "" : left + " unless renewed");
    }

    /** The holder that was in the way, if the store told it. */
    static @Nullable Holder holder(@Nullable Refused refused) {
        return refused == null || refused.inLockDelay() ? null : refused.heldBy();
    }

    /** How long the obstacle lasts unless it is renewed, if the store told it. */
    static @Nullable Duration remaining(@Nullable Refused refused) {
        return refused == null ? null : refused.remaining();
    }
}
