package io.holdfast.arch.broken.spi;

import io.holdfast.arch.broken.engine.Wheel;

/** Breaks: the contract sees the API only. */
public interface SpiSeesTheEngine {
    /** Leaks an internal type. */
    Wheel wheel();
}
