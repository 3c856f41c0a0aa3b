package io.holdfast.bench.workloads;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.bench.Kind;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Holdfast over whatever store a URL names. */
final class HoldfastEntrant {
    /** With its defaults. */
    static final Entrant DEFAULT =
            entrant("holdfast", (url, ttl) -> Holdfast.builder().url(url).defaults(options(ttl)));

    /** Every hand-over through the store, none between threads of one client. */
    static final Entrant WITHOUT_PASSES = entrant(
            "holdfast handoffs(0)",
            (url, ttl) -> Holdfast.builder().url(url).defaults(options(ttl).handoffs(0)));

    /** The same two, with {@link StoreCalls}. */
    static final Entrant COUNTED = entrant(
            DEFAULT.title(),
            (url, ttl) -> Holdfast.builder().store(StoreCalls.open(url, ttl)).defaults(options(ttl)));

    static final Entrant COUNTED_WITHOUT_PASSES = entrant(
            WITHOUT_PASSES.title(),
            (url, ttl) -> Holdfast.builder()
                    .store(StoreCalls.open(url, ttl))
                    .defaults(options(ttl).handoffs(0)));

    private HoldfastEntrant() {}

    private static Entrant entrant(String title, BiFunction<String, Duration, HoldfastBuilder> builder) {
        return new Entrant(
                title,
                Kind.HOLDFAST,
                (url, ttl) -> new Client(builder.apply(url, ttl).open()));
    }

    private static LockOptions options(Duration ttl) {
        return LockOptions.waitUpTo(Duration.ofMinutes(5)).ttl(ttl);
    }

    private static final class Client implements LockClient {
        private final Holdfast holdfast;

        Client(Holdfast holdfast) {
            this.holdfast = holdfast;
        }

        @Override
        public Handle handle(String name) {
            return new LeaseHandle(holdfast.mutex(name));
        }

        @Override
        public void close() {
            holdfast.close();
        }
    }

    private static final class LeaseHandle implements LockClient.Handle {
        private final DistributedLock lock;
        private @Nullable Lease lease;

        LeaseHandle(DistributedLock lock) {
            this.lock = lock;
        }

        @Override
        public long lock() throws InterruptedException {
            Lease taken = lock.acquire();
            lease = taken;
            return taken.token();
        }

        @Override
        public void unlock() {
            Objects.requireNonNull(lease).close();
        }

        @Override
        public boolean isHeld() {
            return Objects.requireNonNull(lease).state() == LeaseState.HELD;
        }
    }
}
