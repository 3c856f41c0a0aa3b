package io.holdfast.sim;

import java.util.EnumMap;
import java.util.Map;

/** Counts things of one kind. */
final class Tally<E extends Enum<E>> {
    private static final class Count {
        private long value;
    }

    private final Map<E, Count> counts;

    Tally(Class<E> kind) {
        counts = new EnumMap<>(kind);
    }

    void add(E thing) {
        add(thing, 1);
    }

    void add(E thing, long times) {
        Count count = counts.get(thing);
        if (count == null) {
            count = new Count();
            counts.put(thing, count);
        }
        count.value += times;
    }

    void addAll(Tally<E> other) {
        other.counts.forEach((thing, count) -> add(thing, count.value));
    }

    long of(E thing) {
        Count count = counts.get(thing);
        return count == null ? 0 : count.value;
    }

    long sum() {
        return counts.values().stream().mapToLong(count -> count.value).sum();
    }
}
