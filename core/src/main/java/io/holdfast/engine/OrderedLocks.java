package io.holdfast.engine;

import io.holdfast.DistributedLocks;
import io.holdfast.Lease;
import io.holdfast.LeaseSet;
import io.holdfast.LockNames;
import io.holdfast.LockOptions;
import io.holdfast.Mode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

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
        long start = client.env().ticker.nanos();
        List<Lease> held = new ArrayList<>(requests.size());
        boolean complete = false;
        try {
            for (Request request : requests) {
                long left = request.waitNanos() - (client.env().ticker.nanos() - start);
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
