package io.holdfast.spi;

/**
 * The claim waits in the store's queue.
 *
 * @param ticket its place
 * @param because what is in the way
 */
public record Queued(Ticket ticket, Refused because) implements EnqueueResult {}
