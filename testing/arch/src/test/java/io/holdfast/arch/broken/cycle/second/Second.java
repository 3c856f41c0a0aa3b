package io.holdfast.arch.broken.cycle.second;

import io.holdfast.arch.broken.cycle.first.First;

/** The other half of the cycle. */
public record Second(First first) {}
