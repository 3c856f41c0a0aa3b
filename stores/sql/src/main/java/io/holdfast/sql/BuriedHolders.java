package io.holdfast.sql;

import io.holdfast.Ticker;
import io.holdfast.spi.HolderId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Holder ids whose claim is over, for as long as a {@link Tombstone} lives (L1), where only this process can repeat a
 * claim. They end in the order in which they came, so that adding one looks at those that have ended and no further.
 */
final class BuriedHolders {
    private record Burial(HolderId holder, long until) {}

    private final Map<HolderId, Burial> holders = new HashMap<>();
    private final Deque<Burial> inOrder = new ArrayDeque<>();
    private final Ticker ticker;

    BuriedHolders(Ticker ticker) {
        this.ticker = ticker;
    }

    synchronized void add(HolderId holder) {
        forgetEnded();
        Burial last = new Burial(holder, ticker.nanos() + Tombstone.LIFE.toNanos());
        holders.put(holder, last);
        inOrder.addLast(last);
    }

    synchronized boolean contains(HolderId holder) {
        forgetEnded();
        return holders.containsKey(holder);
    }

    synchronized int size() {
        return holders.size();
    }

    /** Under the monitor. */
    private void forgetEnded() {
        long now = ticker.nanos();
        for (Burial first = inOrder.peekFirst(); first != null && now - first.until >= 0; first = inOrder.peekFirst()) {
            inOrder.pollFirst();
            holders.remove(first.holder, first); // unless it was added again
        }
    }
}
