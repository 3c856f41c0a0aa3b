package io.holdfast.arch.broken.engine.lease;

import io.holdfast.arch.broken.engine.queue.QueueSeesTheClient;

/** Breaks: a lease sees no queue. */
public record LeaseSeesTheQueue(QueueSeesTheClient other) {}
