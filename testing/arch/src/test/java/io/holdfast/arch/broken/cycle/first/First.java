package io.holdfast.arch.broken.cycle.first;

import io.holdfast.arch.broken.cycle.second.Second;

/** Breaks: packages have no cycle. */
public record First(Second second) {}
