package io.holdfast.bench.workload;

import java.util.Locale;

/** What a contestant is to the question. */
public enum Kind {
    /** The least possible work for the same effect: what no lock beats by much. */
    FLOOR,
    /** Another lock that a user could choose instead. */
    PEER,
    /** Ours, or a part of ours. */
    HOLDFAST;

    /**
     * What a name says: {@code raw …} is a floor, one with {@code holdfast} in it is ours, any other is a peer. For
     * contestants that do not say otherwise.
     */
    public static Kind of(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.startsWith("raw") ? FLOOR : lower.contains("holdfast") ? HOLDFAST : PEER;
    }

    /** The word for people and JSON. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
