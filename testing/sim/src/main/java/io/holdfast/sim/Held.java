package io.holdfast.sim;

import io.holdfast.Lease;
import io.holdfast.ReleaseOutcome;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A lease in a caller's hands, and what its {@link Overseer} knows of it. */
final class Held {
    final Client client;
    final Lease lease;
    final Ledger.Entry entry;
    final Duration leftAtFirst;
    boolean releasing;
    boolean renewal;
    boolean lost;
    boolean told;
    long distrustedSince = -1;
    boolean renewalSent;
    long deniedAt = -1;
    long overSince = -1;
    long deniedByStoreAt = -1;
    boolean over;

    @Nullable
    ReleaseOutcome outcome;

    Held(Client client, Lease lease, Ledger.Entry entry) {
        this.client = client;
        this.lease = lease;
        this.entry = entry;
        this.leftAtFirst = lease.remaining();
    }

    @Override
    public String toString() {
        return client.name() + " with token " + lease.token() + (lost ? " (lost)" : "")
                + (releasing ? " (releasing)" : "") + " on [" + entry + "]";
    }
}
