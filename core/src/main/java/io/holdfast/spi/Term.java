package io.holdfast.spi;

import java.time.Duration;

/**
 * For how long the store promises a grant, without comparing clocks: at least {@code nanos} after the moment at which
 * the client's ticker showed {@code sentNanos}. The engine subtracts the drift and believes the rest.
 *
 * <p>For an ordinary request that moment is just before it was sent. A grant that the store pushed counts from the
 * sending of the last request of this claim that was answered "still queued" (rule U2); a grant that lives as long as
 * a session counts from before the session's last answered keep-alive (U3). It is never the receipt of a message.
 *
 * @param sentNanos a reading of the client's {@link io.holdfast.Ticker}
 * @param nanos how long the store keeps the grant from then on
 */
public record Term(long sentNanos, long nanos) {
    /** The term of a request sent at {@code sentNanos} and granted for {@code length}. */
    public static Term of(long sentNanos, Duration length) {
        return new Term(sentNanos, length.toNanos());
    }
}
