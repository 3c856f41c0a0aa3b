package io.holdfast;

import java.time.Duration;

/**
 * Who holds a lock, as the store tells it.
 *
 * @param clientId the random id of the client
 * @param label host, process id and the name the user gave, for people
 * @param mode how it is held
 * @param token the first token of the grant
 * @param span how many consecutive tokens the grant reserved; local hand-offs use the ones after the first
 * @param ttl what the holder asked for
 * @param remaining how long the store keeps the grant if nobody renews it; zero if the lease has run out
 */
public record Holder(String clientId, String label, Mode mode, long token, int span, Duration ttl, Duration remaining) {

    /** Whether {@code token} belongs to this grant. */
    public boolean covers(long token) {
        return token >= this.token && token - this.token < span;
    }
}
