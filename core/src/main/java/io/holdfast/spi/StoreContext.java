package io.holdfast.spi;

import io.holdfast.Scheduler;
import io.holdfast.Ticker;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * What the engine gives to a store: clocks, threads, randomness, and where to report what nobody asked for.
 *
 * @param ticker the clocks that {@link Term}s are counted on
 * @param scheduler for short tasks that do not block
 * @param executor for tasks that may block
 * @param random thread-safe
 * @param signals the engine's ear
 */
public record StoreContext(
        Ticker ticker, Scheduler scheduler, Executor executor, RandomGenerator random, StoreSignals signals) {}
