package io.holdfast.engine.client;

import io.holdfast.DistributedLocks;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseSet;
import io.holdfast.LockInterruptedException;
import io.holdfast.LockNames;
import io.holdfast.LockOptions;
import io.holdfast.Mode;
import io.holdfast.engine.lease.Request;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Several exclusive locks, always acquired in the order of their names' bytes. */
final class OrderedLocks implements DistributedLocks {
    private static final int MOST = 256;

    private final HoldfastClient client;
    private final List<String> names;

    OrderedLocks(HoldfastClient client, String... names) {
        if (names.length == 0 || names.length > MOST) {
            throw new IllegalArgumentException("mutexes: 1 to " + MOST + " names, but got " + names.length);
        }
        this.client = client;
        this.names = Arrays.stream(names)
                .map(LockNames::check)
                .distinct()
                .sorted((a, b) ->
                        Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8)))
                .toList();
    }

    @Override
    public List<String> names() {
        return names;
    }

    @Override
    public LeaseSet acquire(LockOptions options) throws InterruptedException {
        List<Request> requests = requests(options);
        long start = client.time().nanos();
        List<Lease> held = new ArrayList<>(requests.size());
        boolean complete = false;
        try {
            for (Request request : requests) {
                long left = request.waitNanos() - (client.time().nanos() - start);
                held.add(left > 0 ? client.acquire(request.waiting(left)) : client.acquireAtOnce(request));
            }
            held.forEach(Lease::ensureValid);
            complete = true;
        } finally {
            if (!complete) {
                releaseAll(held);
            }
        }
        return new Held(held);
    }

    @Override
    public Optional<LeaseSet> tryAcquire(LockOptions options) {
        List<Lease> held = new ArrayList<>(names.size());
        boolean complete = false;
        try {
            for (Request request : requests(options)) {
                Lease lease = client.tryAcquire(request);
                if (lease == null) {
                    return Optional.empty();
                }
                held.add(lease);
            }
            held.forEach(Lease::ensureValid);
            complete = true;
        } finally {
            if (!complete) {
                releaseAll(held);
            }
        }
        return Optional.of(new Held(held));
    }

    /** One after the other, in the same order; each waits for what is left of the wait. */
    @Override
    public CompletableFuture<LeaseSet> acquireAsync(LockOptions options) {
        AsyncSet all = new AsyncSet(requests(options), client);
        all.next();
        return all.result;
    }

    @Override
    public <T, E extends Exception> T callHeld(LockOptions options, Work<T, E> work) throws E, InterruptedException {
        return Section.call(acquire(options), work::call);
    }

    @Override
    public <T, E extends Exception> Optional<T> callIfFree(LockOptions options, Work<T, E> work) throws E {
        LeaseSet held = tryAcquire(options).orElse(null);
        return held == null
                ? Optional.empty()
                : Optional.of(Section.result(String.join(", ", names), Section.call(held, work::call)));
    }

    @Override
    public Unchecked unchecked() {
        return new Unchecked() {
            @Override
            public LeaseSet acquire(LockOptions options) {
                try {
                    return OrderedLocks.this.acquire(options);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new LockInterruptedException(String.join(", ", names), e);
                }
            }

            @Override
            public <T, E extends Exception> T callHeld(LockOptions options, Work<T, E> work) throws E {
                return Section.call(acquire(options), work::call);
            }
        };
    }

    /**
     * A set that is being acquired without a thread. Its steps follow each other; only the end of {@code result} may come
     * from elsewhere, and then whatever was or is being granted is released.
     */
    private static final class AsyncSet {
        final CompletableFuture<LeaseSet> result = new CompletableFuture<>();
        private final HoldfastClient client;
        private final List<Request> requests;
        private final long start;
        private final List<Lease> held = new ArrayList<>();
        private volatile @Nullable CompletableFuture<Lease> asked;

        AsyncSet(List<Request> requests, HoldfastClient client) {
            this.client = client;
            this.requests = requests;
            this.start = client.time().nanos();
            result.whenComplete((leases, failure) -> {
                CompletableFuture<Lease> running = asked;
                if (running != null) {
                    running.cancel(false);
                }
            });
        }

        void next() {
            Request request = requests.get(held.size());
            long left = request.waitNanos() - (client.time().nanos() - start);
            CompletableFuture<Lease> asking;
            try {
                asking = client.acquireAsync(request.waiting(Math.max(0, left)));
            } catch (RuntimeException e) {
                fail(e);
                return;
            }
            asked = asking;
            if (result.isDone()) {
                asking.cancel(false); // It ended between two steps.
            }
            asking.whenComplete((lease, failure) -> {
                if (lease == null) {
                    fail(failure);
                    return;
                }
                held.add(lease);
                if (result.isDone()) {
                    releaseHeld();
                } else if (held.size() < requests.size()) {
                    client.callbacks().execute(this::next);
                } else {
                    client.callbacks().execute(this::complete);
                }
            });
        }

        private void complete() {
            try {
                held.forEach(Lease::ensureValid);
            } catch (LeaseLostException e) {
                fail(e);
                return;
            }
            if (!result.complete(new Held(held))) {
                releaseHeld();
            }
        }

        private void fail(Throwable failure) {
            releaseHeld();
            result.completeExceptionally(failure);
        }

        private void releaseHeld() {
            for (int i = held.size() - 1; i >= 0; i--) {
                held.get(i).releaseAsync();
            }
        }
    }

    private List<Request> requests(LockOptions options) {
        return names.stream()
                .map(name -> client.request(name, Mode.EXCLUSIVE, 1, options))
                .toList();
    }

    private static void releaseAll(List<Lease> leases) {
        for (int i = leases.size() - 1; i >= 0; i--) {
            leases.get(i).close();
        }
    }

    /** The leases of all. */
    private record Held(List<Lease> leases) implements LeaseSet {
        Held {
            leases = List.copyOf(leases);
        }

        @Override
        public Lease lease(String lockName) {
            return leases.stream()
                    .filter(lease -> lease.lockName().equals(lockName))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("'" + lockName + "' is not one of these locks"));
        }

        @Override
        public void ensureValid() {
            leases.forEach(Lease::ensureValid);
        }

        @Override
        public void close() {
            releaseAll(leases);
        }
    }
}
