package io.holdfast.arch.broken.guard.file;

import io.holdfast.arch.broken.spi.SpiSeesTheEngine;

/** Breaks: a guard sees no contract. */
public record GuardSeesTheSpi(SpiSeesTheEngine other) {}
