package io.holdfast.cli.supervise;

/**
 * How a supervised command ended.
 *
 * @param exitCode its exit code; 128 + n if signal n ended it
 * @param leaseEnded whether the lease did not outlast it, or it was stopped so that the lease would
 */
public record Ending(int exitCode, boolean leaseEnded) {}
