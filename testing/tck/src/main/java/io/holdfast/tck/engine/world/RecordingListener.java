package io.holdfast.tck.engine.world;

import io.holdfast.HoldfastListener;
import io.holdfast.Lease;
import io.holdfast.Loss;
import io.holdfast.Mode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A listener of a client that keeps what it was told. Thread-safe. */
public final class RecordingListener implements HoldfastListener {
    public final List<Long> granted = new CopyOnWriteArrayList<>();
    public final List<Long> handedOff = new CopyOnWriteArrayList<>();
    public final List<Loss> losses = new CopyOnWriteArrayList<>();
    public final AtomicInteger refusals = new AtomicInteger();

    @Override
    public void onRefused(String lockName, Mode mode, String heldBy) {
        refusals.incrementAndGet();
    }

    @Override
    public void onGranted(Lease lease, Duration waited) {
        granted.add(lease.token());
    }

    @Override
    public void onHandedOff(Lease lease, Duration waited) {
        handedOff.add(lease.token());
    }

    @Override
    public void onLost(Lease lease, Loss loss) {
        losses.add(loss);
    }
}
