package io.holdfast.spi;

import org.jspecify.annotations.Nullable;

/** A thread that waits for a lock and has nothing else to do meanwhile; a store may {@link LockStore#borrow} it. */
public interface WaitingThread {
    /** Whether it still waits. */
    boolean waits();

    /** For how long it waits at most from now on, in ns. */
    long nanosLeft();

    /**
     * Sets what brings it back: the engine runs it, on another thread, when the wait is over. Who sets it asks {@link
     * #waits} afterwards, and not before only. Null when the thread is not borrowed any more.
     */
    void wokenBy(@Nullable Runnable wake);

    /**
     * Does what can wait until the thread has gone on with what it waited for. The store calls it once after each time that
     * it had the thread, soon, and rather on a thread of its own than on this one.
     */
    void afterwards();
}
