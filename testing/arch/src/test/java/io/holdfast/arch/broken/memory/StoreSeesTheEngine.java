package io.holdfast.arch.broken.memory;

import io.holdfast.arch.broken.engine.Wheel;

/** Breaks: a store sees no engine. */
public record StoreSeesTheEngine(Wheel wheel) {}
