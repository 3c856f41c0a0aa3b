package io.holdfast.sim.report;

/**
 * What a run was.
 *
 * @param hash equal for equal histories
 * @param steps events that ran
 * @param faults faults that happened
 * @param table faults by situation, and checks by rule
 */
public record Report(long seed, long hash, int steps, int faults, FaultTable table) {}
