package io.holdfast.arch.broken.guard.file;

import io.holdfast.arch.broken.memory.StoreSeesTheEngine;

/** Breaks: a guard sees no store. */
public record GuardSeesAStore(StoreSeesTheEngine other) {}
