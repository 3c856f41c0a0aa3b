package io.holdfast.engine.client;

import io.holdfast.Lease;
import io.holdfast.LeaseLock;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.engine.lease.Request;
import io.holdfast.engine.lease.ViewedLeases;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The {@link java.util.concurrent.locks.Lock} view. The leases are kept by the client, per thread, name and mode, so
 * that two views of the same lock are the same lock.
 */
final class ThreadLock implements LeaseLock {
    private final HoldfastClient client;
    private final NamedLock lock;

    ThreadLock(HoldfastClient client, NamedLock lock) {
        this.client = client;
        this.lock = lock;
    }

    @Override
    public void lock() {
        push(client.acquireUninterruptibly(forever()));
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        push(client.acquire(forever()));
    }

    @Override
    public boolean tryLock() {
        return push(client.tryAcquire(lock.request(LockOptions.defaults())));
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        long nanos = Math.max(0, Math.min(unit.toNanos(time), LockOptions.LONGEST.toNanos()));
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Request request = lock.request(LockOptions.defaults());
        if (nanos == 0) {
            return push(client.tryAcquire(request));
        }
        try {
            return push(client.acquire(request.waiting(nanos)));
        } catch (LockTimeoutException e) {
            return false;
        }
    }

    @Override
    public void unlock() {
        ViewedLeases.Owner owner = owner();
        Lease lease = client.views().pop(owner);
        if (lease == null) {
            throw new IllegalMonitorStateException(
                    "thread " + owner.thread().getName() + " does not hold lock '" + lock.name() + "'");
        }
        LeaseLostException lost = null;
        if (lease.state() == LeaseState.LOST) {
            try {
                lease.ensureValid();
            } catch (LeaseLostException e) {
                lost = e;
            }
        }
        lease.release();
        if (lost != null) {
            throw lost;
        }
    }

    @Override
    public Optional<Lease> currentLease() {
        return Optional.ofNullable(client.views().peek(owner()));
    }

    @Override
    public String toString() {
        return "LeaseLock[" + lock + "]";
    }

    private Request forever() {
        return lock.request(LockOptions.defaults()).waiting(Request.FOREVER);
    }

    private ViewedLeases.Owner owner() {
        return new ViewedLeases.Owner(Thread.currentThread(), lock.name(), lock.mode());
    }

    private boolean push(@Nullable Lease lease) {
        if (lease == null) {
            return false;
        }
        client.views().push(owner(), lease);
        return true;
    }
}
