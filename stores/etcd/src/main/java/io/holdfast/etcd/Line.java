package io.holdfast.etcd;

import io.holdfast.Mode;
import io.holdfast.spi.HolderId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one name at one revision, and who of it holds the lock. Pure.
 *
 * <p>Claims stand in the order of their create revisions. The holders are the longest head of the line whose members
 * can hold together: one exclusive claim, or shared ones only, or permits of which each finds fewer before it than it
 * allows. Nobody new holds while a lock-delay is open: one whose claim is no longer in the line (L10).
 *
 * @param entries the whole line, first come first
 * @param delays the lock-delays that were announced
 */
record Line(List<Entry> entries, List<Delay> delays) {
    /** Nobody. */
    static final Line EMPTY = new Line(List.of(), List.of());

    /** What a claim that does not hold waits for. */
    sealed interface Obstacle {
        /** This claim must leave. */
        record Claimed(Entry by) implements Obstacle {}

        /** Any of those before must leave. */
        record Crowded(Entry first) implements Obstacle {}

        /** A lock-delay must end. */
        record Delayed() implements Obstacle {}
    }

    /** Those who hold, as far as the line tells: after the loss of a shared claim, the other ones at its head. */
    List<Entry> holders() {
        boolean closed = delays.stream().anyMatch(delay -> isOpen(delay) && delay.mode() == Mode.EXCLUSIVE);
        return closed ? List.of() : entries.subList(0, heads());
    }

    /** The lock-delays that keep the name closed. */
    List<Delay> openDelays() {
        return delays.stream().filter(this::isOpen).toList();
    }

    /** What stands before this claim; null if it holds. It must be in the line. */
    @Nullable
    Obstacle before(HolderId holder) {
        int place = 0;
        while (!entries.get(place).holder().equals(holder)) {
            place++;
        }
        return heads() > place ? delayed() : blocker(place, entries.get(place).mode());
    }

    /** What would stand before a claim that came now; null if it would hold. */
    @Nullable
    Obstacle before(Mode mode, int permits) {
        int place = entries.size();
        return heads() == place && fits(mode, permits, place) ? delayed() : blocker(place, mode);
    }

    /**
     * The one claim before this one, if nothing else is in its way and that one leaves no lock-delay behind: when it has
     * left, this one holds, whatever came behind. Null otherwise. Only for a line that was read from its beginning.
     */
    @Nullable
    Entry soleBefore(HolderId holder) {
        boolean second = entries.size() > 1 && entries.get(1).holder().equals(holder);
        return second && delays.isEmpty() && entries.get(0).lockDelay().isZero() ? entries.get(0) : null;
    }

    /** The claim of this holder; null if it is not in the line. */
    @Nullable
    Entry of(HolderId holder) {
        for (Entry entry : entries) {
            if (entry.holder().equals(holder)) {
                return entry;
            }
        }
        return null;
    }

    private int heads() {
        int count = 0;
        while (count < entries.size()
                && fits(entries.get(count).mode(), entries.get(count).permits(), count)) {
            count++;
        }
        return count;
    }

    /** Whether a claim can hold beside all those before this place, who hold. */
    private boolean fits(Mode mode, int permits, int place) {
        if (place == 0) {
            return true;
        }
        return mode == entries.get(place - 1).mode()
                && switch (mode) {
                    case EXCLUSIVE -> false;
                    case SHARED -> true;
                    case PERMIT -> place < permits;
                };
    }

    private boolean isOpen(Delay delay) {
        return of(delay.holder()) == null;
    }

    private @Nullable Obstacle delayed() {
        return openDelays().isEmpty() ? null : new Obstacle.Delayed();
    }

    /** Each waits for one other only, except for permits: whichever of those before comes back makes room. */
    private Obstacle blocker(int place, Mode mode) {
        for (int i = place - 1; i >= 0; i--) {
            if (mode == Mode.EXCLUSIVE || entries.get(i).mode() != mode) {
                return new Obstacle.Claimed(entries.get(i));
            }
        }
        return new Obstacle.Crowded(entries.get(0));
    }
}
