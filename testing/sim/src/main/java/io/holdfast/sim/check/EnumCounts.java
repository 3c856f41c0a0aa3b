package io.holdfast.sim.check;

import java.util.EnumMap;
import java.util.Map;

/** A count for each constant of an enum. */
public final class EnumCounts<E extends Enum<E>> {
    private static final class Count {
        private long value;
    }

    private final Map<E, Count> counts;

    public EnumCounts(Class<E> kind) {
        counts = new EnumMap<>(kind);
    }

    public void add(E thing) {
        add(thing, 1);
    }

    public void add(E thing, long times) {
        Count count = counts.get(thing);
        if (count == null) {
            count = new Count();
            counts.put(thing, count);
        }
        count.value += times;
    }

    public void addAll(EnumCounts<E> other) {
        other.counts.forEach((thing, count) -> add(thing, count.value));
    }

    public long of(E thing) {
        Count count = counts.get(thing);
        return count == null ? 0 : count.value;
    }

    public long sum() {
        return counts.values().stream().mapToLong(count -> count.value).sum();
    }
}
