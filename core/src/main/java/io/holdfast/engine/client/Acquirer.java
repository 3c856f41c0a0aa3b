package io.holdfast.engine.client;

import io.holdfast.Acquirable;
import io.holdfast.Lease;
import io.holdfast.LockInterruptedException;
import io.holdfast.LockOptions;
import io.holdfast.Mode;
import io.holdfast.engine.lease.Request;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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
        return Section.call(acquire(options), work::call);
    }

    @Override
    public <T, E extends Exception> Optional<T> callIfFree(LockOptions options, Work<T, E> work) throws E {
        Lease lease = client.tryAcquire(request(options));
        return lease == null ? Optional.empty() : Optional.of(Section.result(name, Section.call(lease, work::call)));
    }

    @Override
    public <T> CompletableFuture<T> callHeldAsync(LockOptions options, Work<T, ? extends Exception> work) {
        return Section.callAsync(client.callbacks(), acquireAsync(options), work);
    }

    @Override
    public Unchecked unchecked() {
        return new Unchecked() {
            @Override
            public Lease acquire(LockOptions options) {
                try {
                    return Acquirer.this.acquire(options);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new LockInterruptedException(name, e);
                }
            }

            @Override
            public <T, E extends Exception> T callHeld(LockOptions options, Work<T, E> work) throws E {
                return Section.call(acquire(options), work::call);
            }

            @Override
            public String toString() {
                return "unchecked " + Acquirer.this;
            }
        };
    }
}
