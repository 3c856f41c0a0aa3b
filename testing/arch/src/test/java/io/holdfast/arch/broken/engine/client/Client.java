package io.holdfast.arch.broken.engine.client;

/** What a room of the engine must not see. */
public record Client() {}
