package io.holdfast.spi;

/** The answer to {@link QueueingStore#enqueue}. */
public sealed interface EnqueueResult permits Granted, Queued {}
