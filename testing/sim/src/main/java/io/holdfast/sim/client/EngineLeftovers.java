package io.holdfast.sim.client;

import io.holdfast.Holdfast;
import io.holdfast.engine.client.HoldfastClient;
import java.util.List;

/** Looks into a client of the engine for what it should have forgotten. */
public final class EngineLeftovers {
    private EngineLeftovers() {}

    /** What is left, in words; empty if nothing is. */
    public static String leftIn(Holdfast client) {
        List<String> busy = ((HoldfastClient) client).queues().busyNames();
        return busy.isEmpty() ? "" : "local queues of " + busy;
    }
}
