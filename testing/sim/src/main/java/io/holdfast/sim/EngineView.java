package io.holdfast.sim;

import io.holdfast.Holdfast;
import io.holdfast.engine.client.HoldfastClient;
import java.util.List;

/** Looks into a client of the engine for what it should have forgotten. */
final class EngineView {
    private EngineView() {}

    /** What is left, in words; empty if nothing is. */
    static String leftIn(Holdfast client) {
        List<String> busy = ((HoldfastClient) client).queues().busyNames();
        return busy.isEmpty() ? "" : "local queues of " + busy;
    }
}
