package io.holdfast.bench.workloads;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.bench.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Holdfast over whatever store a URL names. */
final class HoldfastEntrant implements Cast {
    /** With its defaults. */
    static final Entrant DEFAULT = withUrl("holdfast", "");

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

    @Override
    public List<Entrant> all() {
        return List.of(DEFAULT, WITHOUT_PASSES);
    }

    /** With its defaults and something more at the end of the URL. */
    static Entrant withUrl(String title, String suffix) {
        return entrant(title, (url, ttl) -> Holdfast.builder().url(url + suffix).defaults(options(ttl)));
    }

    private static Entrant entrant(String title, BiFunction<String, Duration, HoldfastBuilder> builder) {
        return new Entrant(
                title,
                Kind.HOLDFAST,
                (url, ttl) -> client(builder.apply(url, ttl).open()),
                Set.of());
    }

    private static LockOptions options(Duration ttl) {
        return LockOptions.waitUpTo(Duration.ofMinutes(5)).ttl(ttl);
    }

    private static LockClient client(Holdfast holdfast) {
        return LockClient.of(name -> new LeaseHandle(holdfast.mutex(name)), holdfast::close);
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
