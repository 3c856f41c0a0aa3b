package io.holdfast.tck;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;

/**
 * A client under test.
 *
 * @param holdfast the client
 * @param network between it and the store
 * @param clock its own clocks
 * @param heard what its listener heard
 */
record EngineClient(Holdfast holdfast, FaultyStore network, ShiftedTicker clock, Recorder heard) {
    /** Every verb that asks the store for something or tells it something. */
    private static final String[] VERBS = {"tryAcquire", "enqueue", "exchange", "renew", "release"};

    DistributedLock mutex(String name) {
        return holdfast.mutex(name);
    }

    /** Nothing arrives at the store any more. */
    void cutOff() {
        network.cut(VERBS);
    }

    /** How often the store was called, lost calls included. */
    int calls() {
        int sum = 0;
        for (String verb : VERBS) {
            sum += network.calls(verb);
        }
        return sum;
    }
}
