package io.holdfast.bench.library;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.bench.measure.LockClient;
import io.holdfast.bench.workload.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Holdfast over whatever store a URL names. */
public final class HoldfastLibrary implements LockLibraries {
    /** With its defaults. */
    public static final LockLibrary DEFAULT = withUrl("holdfast", "");

    /** Every hand-over through the store, none between threads of one client. */
    public static final LockLibrary WITHOUT_PASSES = library(
            "holdfast handoffs(0)",
            (url, ttl) -> Holdfast.builder().url(url).defaults(options(ttl).handoffs(0)));

    /** The same two, with {@link StoreCalls}. */
    public static final LockLibrary COUNTED = library(
            DEFAULT.title(),
            (url, ttl) -> Holdfast.builder().store(StoreCalls.open(url, ttl)).defaults(options(ttl)));

    public static final LockLibrary COUNTED_WITHOUT_PASSES = library(
            WITHOUT_PASSES.title(),
            (url, ttl) -> Holdfast.builder()
                    .store(StoreCalls.open(url, ttl))
                    .defaults(options(ttl).handoffs(0)));

    @Override
    public List<LockLibrary> all() {
        return List.of(DEFAULT, WITHOUT_PASSES);
    }

    /** With its defaults and something more at the end of the URL. */
    public static LockLibrary withUrl(String title, String suffix) {
        return library(title, (url, ttl) -> Holdfast.builder().url(url + suffix).defaults(options(ttl)));
    }

    private static LockLibrary library(String title, BiFunction<String, Duration, HoldfastBuilder> builder) {
        return new LockLibrary(
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
