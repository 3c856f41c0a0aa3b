package io.holdfast.tck;

import io.holdfast.Ticker;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Refused;
import io.holdfast.spi.ReleaseResult;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The notes of one backend without a queue (S11), as plainly as possible. Thread-safe. */
final class PauseNotes {
    private record Key(String lockName, String clientId) {}

    private record Note(Duration pause, long until) {}

    private final Ticker ticker;
    private final Map<Key, Note> notes = new HashMap<>();

    PauseNotes(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Takes a note of a claim that waits and was refused. */
    synchronized void take(Claim claim, AcquireResult answer) {
        if (answer instanceof Refused && !claim.pause().isZero()) {
            long until = ticker.nanos() + WaitNoteClauses.NOTE_LIFE.toNanos();
            notes.put(new Key(claim.lockName(), claim.clientId()), new Note(claim.pause(), until));
        }
    }

    /** Adds the longest pause that other clients noted. */
    synchronized ReleaseResult answered(Claim claim, ReleaseResult result) {
        if (!(result instanceof ReleaseResult.Released)) {
            return result;
        }
        Duration longest = notes.entrySet().stream()
                .filter(entry -> counts(entry.getKey(), claim))
                .map(Map.Entry::getValue)
                .filter(note -> note.until - ticker.nanos() > 0)
                .map(Note::pause)
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
        return new ReleaseResult.Released(longest);
    }

    private static boolean counts(Key note, Claim released) {
        return note.lockName.equals(released.lockName()) && !note.clientId.equals(released.clientId());
    }
}
