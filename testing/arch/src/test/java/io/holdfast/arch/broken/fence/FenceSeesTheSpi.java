package io.holdfast.arch.broken.fence;

import io.holdfast.arch.broken.spi.SpiSeesTheEngine;

/** Breaks: fencing sees the API only. */
public interface FenceSeesTheSpi {
    /** Asks a store. */
    SpiSeesTheEngine store();
}
