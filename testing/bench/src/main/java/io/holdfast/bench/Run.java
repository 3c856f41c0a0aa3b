package io.holdfast.bench;

import java.time.Duration;

/**
 * How a contestant is to be measured.
 *
 * @param warmUp for how long it works before anything counts
 * @param measure for how long it is measured
 * @param quick whether only the tool is tried; workloads with fixed sizes take small ones then
 */
public record Run(Duration warmUp, Duration measure, boolean quick) {}
