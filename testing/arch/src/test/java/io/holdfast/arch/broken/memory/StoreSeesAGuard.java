package io.holdfast.arch.broken.memory;

import io.holdfast.arch.broken.guard.file.GuardSeesTheSpi;

/** Breaks: a store sees no guard. */
public record StoreSeesAGuard(GuardSeesTheSpi other) {}
