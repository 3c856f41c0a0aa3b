package io.holdfast.engine.queue;

import org.jspecify.annotations.Nullable;

/** The waiters of one name that do not contend at the store yet, in the order of their arrival. Every step is O(1). */
final class WaitingLine {
    private @Nullable Place first;
    private @Nullable Place last;
    private int size;

    /** The place of one waiter. */
    static final class Place implements Waiter.Position {
        private final Waiter waiter;
        private @Nullable Place ahead;
        private @Nullable Place behind;

        Place(Waiter waiter) {
            this.waiter = waiter;
        }
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    @Nullable
    Waiter first() {
        return first == null ? null : first.waiter;
    }

    void add(Waiter waiter) {
        Place place = new Place(waiter);
        waiter.position = place;
        place.ahead = last;
        if (last == null) {
            first = place;
        } else {
            last.behind = place;
        }
        last = place;
        size++;
    }

    @Nullable
    Waiter poll() {
        Place polled = first;
        if (polled == null) {
            return null;
        }
        remove(polled);
        return polled.waiter;
    }

    /** Removes a place that is in the line. */
    void remove(Place place) {
        Place ahead = place.ahead;
        Place behind = place.behind;
        if (ahead == null) {
            first = behind;
        } else {
            ahead.behind = behind;
        }
        if (behind == null) {
            last = ahead;
        } else {
            behind.ahead = ahead;
        }
        place.waiter.position = null;
        size--;
    }
}
