package io.holdfast.spi;

/**
 * The answer to {@link QueueingStore#exchange}.
 *
 * @param released what happened to the old claim
 * @param next what happened to the new one; whatever became of the old one, the new one was taken in
 */
public record Exchanged(ReleaseResult released, EnqueueResult next) {}
