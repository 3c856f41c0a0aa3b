package io.holdfast.sim.store;

import io.holdfast.spi.Granted;
import io.holdfast.spi.Refused;

/** What the server answers to an acquire, an enqueue, an exchange or a poll. */
public sealed interface ServerReply {
    /** Granted; the term counts from whatever request the client may count it from, its {@code sentNanos} says nothing. */
    record Yes(Granted granted) implements ServerReply {}

    /** Refused, or queued. */
    record Wait(Refused because) implements ServerReply {}

    /** The claim is neither held nor queued. */
    record Gone(Refused because) implements ServerReply {}
}
