package io.holdfast.cli.command;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.cli.supervise.Signals;
import io.holdfast.cli.supervise.Supervisor;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a signal does: it ends the wait for the lock, and goes to the command once that may run. The first one decides
 * if it comes before the grant; nothing is left in the store then.
 */
final class Interruption {
    private final Supervisor supervisor;
    private @Nullable Thread waiting;
    private @Nullable Signals first;
    private boolean granted;

    Interruption(Supervisor supervisor) {
        this.supervisor = supervisor;
    }

    synchronized void signalled(Signals signal) {
        if (granted) {
            supervisor.signalled(signal);
            return;
        }
        if (first == null) {
            first = signal;
        }
        if (waiting != null) {
            waiting.interrupt();
        }
    }

    /** Acquires; empty if a signal came first. */
    Optional<Lease> acquire(DistributedLock lock, LockOptions options) throws InterruptedException {
        if (!begin()) {
            return Optional.empty();
        }
        try {
            Lease lease = lock.acquire(options);
            if (end()) {
                return Optional.of(lease);
            }
            lease.release();
            return Optional.empty();
        } catch (InterruptedException e) {
            if (end()) {
                throw e;
            }
            return Optional.empty();
        }
    }

    /** Of the signal that ended the wait. */
    synchronized int exitCode() {
        if (first == null) {
            throw new IllegalStateException("no signal came");
        }
        return first.exitCode();
    }

    private synchronized boolean begin() {
        waiting = Thread.currentThread();
        return first == null;
    }

    private synchronized boolean end() {
        waiting = null;
        granted = first == null;
        if (!granted) {
            // A signal that came with the grant must not interrupt what follows.
            Thread.interrupted();
        }
        return granted;
    }
}
