package io.holdfast.sim.world;

/** A hash over all events of a run, and the text of the last ones. */
public final class Trace {
    private static final int KEPT = 160;

    private record Entry(long at, String who, String what) {}

    private final Entry[] ring = new Entry[KEPT];
    private long count;
    private long hash = 0xcbf29ce484222325L;

    public void add(long at, String who, String what) {
        ring[(int) (count++ % KEPT)] = new Entry(at, who, what);
        hash = mix(mix(mix(hash, at), who.hashCode()), what.hashCode());
    }

    /** Two runs with the same hash were the same run. */
    public long hash() {
        return hash;
    }

    /** The last events, one per line, oldest first. */
    public String tail() {
        StringBuilder text = new StringBuilder();
        for (long i = Math.max(0, count - KEPT); i < count; i++) {
            Entry entry = ring[(int) (i % KEPT)];
            text.append(String.format("%14.6f ms  %-8s %s%n", entry.at / 1e6, entry.who, entry.what));
        }
        return text.toString();
    }

    private static long mix(long hash, long value) {
        long mixed = (hash ^ value) * 0x100000001b3L;
        return mixed ^ (mixed >>> 29);
    }
}
