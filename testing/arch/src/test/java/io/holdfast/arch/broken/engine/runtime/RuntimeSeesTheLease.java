package io.holdfast.arch.broken.engine.runtime;

import io.holdfast.arch.broken.engine.lease.LeaseSeesTheQueue;

/** Breaks: the runtime sees no lease. */
public record RuntimeSeesTheLease(LeaseSeesTheQueue other) {}
