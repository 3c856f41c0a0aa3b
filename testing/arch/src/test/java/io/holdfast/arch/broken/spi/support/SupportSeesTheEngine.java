package io.holdfast.arch.broken.spi.support;

import io.holdfast.arch.broken.engine.Wheel;

/** Breaks: the support of the contract sees the contract and the API only. */
public record SupportSeesTheEngine(Wheel other) {}
