package io.holdfast.arch.broken.spi;

import io.holdfast.arch.broken.spi.support.SupportSeesTheEngine;

/** Breaks: the contract sees no support. */
public record SpiSeesItsSupport(SupportSeesTheEngine other) {}
