package io.holdfast;

import java.util.List;

/** The leases of several locks, acquired all or none. Thread-safe. */
public interface LeaseSet extends AutoCloseable {
    /** The leases, in the order of acquisition (by name). */
    List<Lease> leases();

    /** The lease of one of the names. */
    Lease lease(String lockName);

    /** Returns if all are valid; else throws as {@link Lease#ensureValid()}. */
    void ensureValid();

    /** Releases all, the last acquired first. */
    @Override
    void close();
}
