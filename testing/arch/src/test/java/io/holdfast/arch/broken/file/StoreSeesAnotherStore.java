package io.holdfast.arch.broken.file;

import io.holdfast.arch.broken.memory.StoreSeesTheEngine;

/** Breaks: a store sees no other store. */
public record StoreSeesAnotherStore(StoreSeesTheEngine other) {}
