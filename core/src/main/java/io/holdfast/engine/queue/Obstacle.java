package io.holdfast.engine.queue;

import io.holdfast.Holder;
import io.holdfast.engine.runtime.Text;
import io.holdfast.spi.Refused;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the store said was in the way, and when. */
record Obstacle(Refused because, long at) {
    /** As the end of a sentence; empty if nothing is known. */
    static String text(@Nullable Obstacle obstacle, long now) {
        return obstacle == null ? "" : Text.obstacle(obstacle.because, now - obstacle.at);
    }

    /** The holder that is in the way, if one is known. */
    static @Nullable Holder holder(@Nullable Obstacle obstacle, long now) {
        return obstacle == null ? null : Text.holder(obstacle.because, now - obstacle.at);
    }

    /** How long the obstacle lasts at most unless it is renewed, if it is known. */
    static @Nullable Duration remaining(@Nullable Obstacle obstacle, long now) {
        return obstacle == null ? null : Text.remaining(obstacle.because, now - obstacle.at);
    }
}
