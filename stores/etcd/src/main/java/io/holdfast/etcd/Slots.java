package io.holdfast.etcd;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Names for the keys of claims: a random id of this client, and the lowest number that it does not use for this name.
 *
 * <p>A key of its own for every claim would be simpler, and would slow a busy name down: until the next compaction etcd
 * keeps every key that ever was in its index, and reading the line walks over all the dead ones. A slot is free again
 * only when its key is known to be gone.
 */
final class Slots {
    private final String client =
            String.format("%016x", ThreadLocalRandom.current().nextLong());
    private final Map<String, BitSet> used = new HashMap<>();

    String client() {
        return client;
    }

    synchronized int take(String name) {
        BitSet slots = used.computeIfAbsent(name, unused -> new BitSet());
        int slot = slots.nextClearBit(0);
        slots.set(slot);
        return slot;
    }

    synchronized void free(String name, int slot) {
        BitSet slots = used.get(name);
        if (slots != null) {
            slots.clear(slot);
            if (slots.isEmpty()) {
                used.remove(name);
            }
        }
    }
}
