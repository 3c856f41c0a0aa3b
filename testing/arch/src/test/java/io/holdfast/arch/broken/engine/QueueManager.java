package io.holdfast.arch.broken.engine;

/** Breaks: names say the mechanism. */
public final class QueueManager {}
