package io.holdfast.etcd.claim;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Names for the keys of claims: a random id of this client, and a slot, which is the lowest number that the client does
 * not use for this lock. A slot is free again only when its key is known to be deleted.
 *
 * <p>A new key for every claim would slow down a busy lock: until the next compaction etcd keeps every deleted key in
 * its index, and every read of the line walks over them.
 */
final class KeySlots {
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
