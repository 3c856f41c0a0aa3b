package io.holdfast.sim.check;

import io.holdfast.Lease;
import io.holdfast.ReleaseOutcome;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A lease that a caller has, and what {@link ClientObserver} knows of it. */
public final class HeldLease {
    public final ObservedClient client;
    public final Lease lease;
    public final GrantLedger.Entry entry;
    public final Duration leftAtFirst;
    public boolean releasing;
    public boolean renewal;
    public boolean lost;
    public boolean told;
    public long distrustedSince = -1;
    public boolean renewalSent;
    public long deniedAt = -1;
    public long overSince = -1;
    public long deniedByStoreAt = -1;
    public boolean over;

    @Nullable
    public ReleaseOutcome outcome;

    public HeldLease(ObservedClient client, Lease lease, GrantLedger.Entry entry) {
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
