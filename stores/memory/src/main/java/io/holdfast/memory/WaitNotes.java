package io.holdfast.memory;

import io.holdfast.spi.Claim;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * Notes of clients that wait for a name without a place in its queue (L21, S11). A note is good for 2 s and keeps no
 * claim out. Notes are kept apart from the names, so that they outlive a name that is free.
 */
final class WaitNotes {
    private static final long LIFE_NANOS = 2_000_000_000L;
    private static final int SWEEP_ABOVE = 256;

    private record Note(Duration pause, long until) {
        boolean over(long now) {
            return until - now <= 0;
        }
    }

    /** By name, then by client id. */
    private final Map<String, Map<String, Note>> notes = new HashMap<>();

    /** The claim was refused, and its client will ask again. */
    void note(Claim claim, long now) {
        if (notes.size() > SWEEP_ABOVE) {
            notes.values().removeIf(clients -> clients.values().stream().allMatch(note -> note.over(now)));
        }
        notes.computeIfAbsent(claim.lockName(), name -> new HashMap<>())
                .put(claim.clientId(), new Note(claim.pause(), now + LIFE_NANOS));
    }

    /** The longest pause that a client other than the claim's has noted. */
    Duration longest(Claim claim, long now) {
        Map<String, Note> clients = notes.get(claim.lockName());
        if (clients == null) {
            return Duration.ZERO;
        }
        Duration longest = Duration.ZERO;
        Iterator<Map.Entry<String, Note>> each = clients.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry<String, Note> entry = each.next();
            Note note = entry.getValue();
            if (note.over(now)) {
                each.remove();
            } else if (!entry.getKey().equals(claim.clientId()) && note.pause.compareTo(longest) > 0) {
                longest = note.pause;
            }
        }
        if (clients.isEmpty()) {
            notes.remove(claim.lockName());
        }
        return longest;
    }
}
