package io.holdfast.arch.broken.guard.memory;

import io.holdfast.arch.broken.guard.file.GuardSeesTheSpi;

/** Breaks: a guard sees no other guard. */
public record GuardSeesAnotherGuard(GuardSeesTheSpi other) {}
