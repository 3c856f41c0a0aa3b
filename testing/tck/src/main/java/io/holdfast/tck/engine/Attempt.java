package io.holdfast.tck.engine;

import io.holdfast.Lease;

/** An acquisition under way, on a thread or as a future. */
interface Attempt {
    /** The lease, or whatever the acquisition failed with; waits for as long as a test is patient. */
    Lease lease() throws Exception;

    /** Whether it was decided. */
    boolean isDone();

    /** Interrupts the thread, or cancels the future. */
    void abandon();
}
