package io.holdfast.arch.broken.cli;

import io.holdfast.arch.broken.engine.Wheel;

/** Breaks: the command sees no engine. */
public record CommandSeesTheEngine(Wheel wheel) {}
