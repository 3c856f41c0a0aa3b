package io.holdfast.engine;

import io.holdfast.Acquirable;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.LossReason;
import io.holdfast.Mode;
import io.holdfast.ReleaseOutcome;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** One name in one mode: turns options into requests and results into leases, futures or exceptions. */
class Acquirer implements Acquirable {
    final HoldfastClient client;
    private final String name;
    private final Mode mode;
    private final int permits;
    private volatile @Nullable Prepared prepared;

    /** The request made of the options that were used last. */
    private record Prepared(LockOptions options, Request request) {}

    Acquirer(HoldfastClient client, String name, Mode mode, int permits) {
        this.client = client;
        this.name = name;
        this.mode = mode;
        this.permits = permits;
    }

    @Override
    public String name() {
        return name;
    }

    public Mode mode() {
        return mode;
    }

    public int permits() {
        return permits;
    }

    Request request(LockOptions options) {
        Prepared last = prepared;
        if (last == null || last.options != options) {
            last = new Prepared(options, client.request(name, mode, permits, options));
            prepared = last;
        }
        return last.request;
    }

    @Override
    public Lease acquire(LockOptions options) throws InterruptedException {
        return client.acquire(request(options));
    }

    @Override
    public Optional<Lease> tryAcquire(LockOptions options) {
        return Optional.ofNullable(client.tryAcquire(request(options)));
    }

    @Override
    public CompletableFuture<Lease> acquireAsync(LockOptions options) {
        return client.acquireAsync(request(options));
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquireAsync(LockOptions options) {
        return client.tryAcquireAsync(request(options));
    }

    @Override
    public <T, E extends Exception> T callHeld(LockOptions options, Work<T, E> work) throws E, InterruptedException {
        return call(acquire(options), work);
    }

    @Override
    public <E extends Exception> boolean runIfFree(LockOptions options, Task<E> task) throws E {
        Lease lease = client.tryAcquire(request(options));
        if (lease == null) {
            return false;
        }
        Acquirer.<Boolean, E>call(lease, held -> {
            task.run(held);
            return Boolean.TRUE;
        });
        return true;
    }

    @Override
    public <T> CompletableFuture<T> callHeldAsync(LockOptions options, Work<T, ? extends Exception> work) {
        CompletableFuture<Lease> acquired = acquireAsync(options);
        CompletableFuture<T> result = acquired.thenApplyAsync(
                lease -> {
                    try {
                        return call(lease, work);
                    } catch (RuntimeException e) {
                        throw e;
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                },
                client.executor());
        result.whenComplete((value, failure) -> {
            if (result.isCancelled()) {
                acquired.cancel(false);
            }
        });
        return result;
    }

    /** Runs the work, releases, and throws if the lease did not last; the work's own failure comes first. */
    private static <T, E extends Exception> T call(Lease lease, Work<T, E> work) throws E {
        T value;
        try {
            value = work.call(lease);
        } catch (Throwable failure) {
            LeaseLostException lost = end(lease);
            if (lost != null) {
                failure.addSuppressed(lost);
            }
            throw failure;
        }
        LeaseLostException lost = end(lease);
        if (lost != null) {
            throw lost;
        }
        return value;
    }

    private static @Nullable LeaseLostException end(Lease lease) {
        LeaseState state = lease.state();
        if (state == LeaseState.RELEASED) {
            return null; // The work released it itself.
        }
        LeaseLostException lost = null;
        if (state == LeaseState.LOST) {
            try {
                lease.ensureValid();
            } catch (LeaseLostException e) {
                lost = e;
            }
        }
        ReleaseOutcome outcome = lease.release();
        if (lost == null && (outcome == ReleaseOutcome.EXPIRED || outcome == ReleaseOutcome.TAKEN)) {
            String how = outcome == ReleaseOutcome.TAKEN ? "another holder had it" : "it was not held any more";
            lost = new LeaseLostException(new Loss(
                    lease.lockName(), lease.token(), LossReason.GONE, "at the release " + how + " in the store"));
        }
        return lost;
    }
}
