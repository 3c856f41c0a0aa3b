package io.holdfast.engine.lease;

/** The part of the client that decides what follows the end of a held grant: the queue of its name. */
public interface GrantOwner {
    /** Keeps the grants of this client alive. */
    LeaseKeeper keeper();

    /**
     * The last handle of a lease was closed. {@code inTime} says that the lease was not lost before. The outcome goes to
     * {@code answer}.
     */
    void release(LeaseHandle lease, boolean inTime, ReleaseAnswer answer);

    /** The release of this grant was answered, or the store did not answer it. */
    void released(HeldGrant grant);

    /** The grant was lost, and with it its lease. */
    void lost(HeldGrant grant, LeaseHandle lease);
}
