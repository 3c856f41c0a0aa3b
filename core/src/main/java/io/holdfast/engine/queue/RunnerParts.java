package io.holdfast.engine.queue;

import io.holdfast.engine.lease.LeaseKeeper;
import io.holdfast.engine.lease.Releases;
import io.holdfast.engine.runtime.Callbacks;
import io.holdfast.engine.runtime.ClientTime;
import io.holdfast.engine.runtime.Events;
import io.holdfast.engine.runtime.StoreCalls;

/** With what the runners of a client perform the actions of their queues. */
public record RunnerParts(
        StoreCalls calls,
        ClientTime time,
        Callbacks callbacks,
        Events events,
        LeaseKeeper keeper,
        Releases releases,
        ClaimSource claims) {}
