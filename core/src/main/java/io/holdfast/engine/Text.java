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
        return millis < 600_000 ? millis / 1000 + " s" : duration.toMinutes() + " min";
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
        String left = remaining == null ? "" : ", for another " + of(remaining) + " unless renewed";
        if (refused.inLockDelay()) {
            return "; it is closed by the lock-delay of a lost lease" + left;
        }
        return holder == null ? "" : "; held by " + holder.label() + " under token " + holder.token() + left;
    }
}
