package io.holdfast.arch.broken.engine.queue;

import io.holdfast.arch.broken.engine.client.Client;

/** Breaks: the queue sees no client. */
public record QueueSeesTheClient(Client other) {}
