package io.holdfast.spi;

import io.holdfast.LossReason;

/** What a store tells the engine on its own. Any thread; calls return quickly. */
public interface StoreSignals {
    /** The grant of this holder is over, as the store learned without being asked (a deleted node, an ended session). */
    void lost(HolderId holder, LossReason reason);

    /** The store cannot be reached: every lease of this client is in JEOPARDY until it is renewed. */
    void disconnected();

    /** The store can be reached again: renew now. */
    void connected();
}
