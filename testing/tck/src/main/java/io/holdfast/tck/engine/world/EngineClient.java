package io.holdfast.tck.engine.world;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.tck.FaultyStore;

/**
 * A client under test.
 *
 * @param holdfast the client
 * @param network between it and the store
 * @param clock its own clocks
 * @param heard what its listener heard
 */
public record EngineClient(Holdfast holdfast, FaultyStore network, ShiftedTicker clock, RecordingListener heard) {
    /** Every verb that asks the store for something or tells it something. */
    private static final String[] VERBS = {"tryAcquire", "enqueue", "exchange", "renew", "release"};

    public DistributedLock mutex(String name) {
        return holdfast.mutex(name);
    }

    /** Nothing arrives at the store any more. */
    public void cutOff() {
        network.cut(VERBS);
    }

    /** How often the store was called, lost calls included. */
    public int calls() {
        int sum = 0;
        for (String verb : VERBS) {
            sum += network.calls(verb);
        }
        return sum;
    }
}
