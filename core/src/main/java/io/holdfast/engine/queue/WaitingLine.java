package io.holdfast.engine.queue;

import org.jspecify.annotations.Nullable;

/** The waiters of one name that do not contend at the store yet, in the order of their arrival. Every step is O(1). */
final class WaitingLine {
    private @Nullable Waiter first;
    private @Nullable Waiter last;
    private int size;

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    @Nullable
    Waiter first() {
        return first;
    }

    void add(Waiter waiter) {
        waiter.ahead = last;
        if (last == null) {
            first = waiter;
        } else {
            last.behind = waiter;
        }
        last = waiter;
        size++;
    }

    @Nullable
    Waiter poll() {
        Waiter polled = first;
        if (polled != null) {
            remove(polled);
        }
        return polled;
    }

    /** Removes a waiter that is in the line. */
    void remove(Waiter waiter) {
        Waiter ahead = waiter.ahead;
        Waiter behind = waiter.behind;
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
        waiter.ahead = null;
        waiter.behind = null;
        size--;
    }
}
