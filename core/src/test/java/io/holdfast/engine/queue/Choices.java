package io.holdfast.engine.queue;

import java.util.ArrayList;
import java.util.List;

/** The choices of one run, taken from a list that is moved on after each run until every combination was tried. */
final class Choices {
    private final List<Integer> taken = new ArrayList<>();
    private final List<Integer> options = new ArrayList<>();
    private int next;

    /** A number from 0 to {@code count} − 1. */
    int among(int count) {
        if (next == taken.size()) {
            taken.add(0);
            options.add(count);
        }
        if (options.get(next) != count) {
            throw new IllegalStateException("the run is not reproducible");
        }
        return taken.get(next++);
    }

    /** Moves on to the next combination; false if there is none. */
    boolean advance() {
        next = 0;
        while (!taken.isEmpty()) {
            int last = taken.size() - 1;
            if (taken.get(last) + 1 < options.get(last)) {
                taken.set(last, taken.get(last) + 1);
                return true;
            }
            taken.remove(last);
            options.remove(last);
        }
        return false;
    }
}
