package io.holdfast;

import io.holdfast.engine.client.HoldfastClient;
import io.holdfast.spi.LockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Opens a client. Give it a {@link #url} or a {@link #store}; everything else has a default. Not thread-safe; may be used
 * again.
 *
 * <p>Defaults of requests: wait 10 s, TTL 30 s, renewal on, no maxHold, lock-delay 0, 255 hand-offs. The client starts
 * daemon threads of its own when it first needs them, unless it was given a scheduler and an executor.
 */
public final class HoldfastBuilder {
    private @Nullable String url;
    private @Nullable LockStore store;
    private String namespace = "";
    private @Nullable String label;
    private LockOptions defaults = LockOptions.defaults();
    private Duration handoffTime = Duration.ofMillis(50);
    private final List<HoldfastListener> listeners = new ArrayList<>();
    private @Nullable Ticker ticker;
    private @Nullable Scheduler scheduler;
    private @Nullable Executor executor;
    private @Nullable RandomGenerator random;

    HoldfastBuilder() {}

    /** The store by URL, as {@link Holdfast#open(String)} takes it. */
    public HoldfastBuilder url(String value) {
        url = Objects.requireNonNull(value, "url");
        return this;
    }

    /** A store that was opened already. The client closes it. */
    public HoldfastBuilder store(LockStore value) {
        store = Objects.requireNonNull(value, "store");
        return this;
    }

    /** Separates users of one store; only with {@link #url}. */
    public HoldfastBuilder namespace(String value) {
        namespace = value.isEmpty() ? value : LockNames.check("namespace", value);
        return this;
    }

    /** A name of this client for people, shown beside host and process id. */
    public HoldfastBuilder label(String value) {
        label = LockOptions.defaults().label(value).label().orElseThrow();
        return this;
    }

    /** What requests get that do not say otherwise. Without this: wait 10 s, TTL 30 s, renewal on, lock-delay 0. */
    public HoldfastBuilder defaults(LockOptions value) {
        defaults = Objects.requireNonNull(value, "defaults");
        return this;
    }

    /** How long a grant may pass between threads of this client before others get their turn (50 ms). */
    public HoldfastBuilder handoffTime(Duration value) {
        if (value.isNegative() || value.compareTo(LockOptions.LONGEST) > 0) {
            throw new IllegalArgumentException("handoffTime: zero to 365 days, but got " + value);
        }
        handoffTime = value;
        return this;
    }

    /** Adds a listener that hears of every attempt, grant, renewal, loss and release of this client. */
    public HoldfastBuilder listener(HoldfastListener value) {
        listeners.add(Objects.requireNonNull(value, "listener"));
        return this;
    }

    /**
     * The monotonic and the wall clock that leases are counted on, for tests that move time by hand. Production keeps the
     * default, {@link Ticker#system()}.
     */
    public HoldfastBuilder ticker(Ticker value) {
        ticker = Objects.requireNonNull(value, "ticker");
        return this;
    }

    /**
     * Runs renewals and other timers, instead of a thread of the client. It must be punctual and must not block: a late
     * renewal loses leases. The client does not close it.
     */
    public HoldfastBuilder scheduler(Scheduler value) {
        scheduler = Objects.requireNonNull(value, "scheduler");
        return this;
    }

    /**
     * Where callbacks, asynchronous completions and blocking store calls run, instead of threads of the client. What it
     * rejects, full or shut down, runs on a thread of the client: nothing is lost and a store's I/O thread never runs an
     * application's code. The client does not close it.
     */
    public HoldfastBuilder executor(Executor value) {
        executor = Objects.requireNonNull(value, "executor");
        return this;
    }

    /**
     * Draws holder ids and pauses from this generator alone, for reproducible tests. Production keeps the default, which
     * adds fresh randomness of the operating system to every holder id: two clients that draw equal ids, from equal seeds
     * or in copies of one process, hold the same lock together.
     */
    public HoldfastBuilder random(RandomGenerator value) {
        random = Objects.requireNonNull(value, "random");
        return this;
    }

    /**
     * Opens the client.
     *
     * @throws IllegalArgumentException as {@link Holdfast#open(String)}; if neither a store nor a URL was given, or both,
     *     or a namespace together with a store
     * @throws StoreUnavailableException as {@link Holdfast#open(String)}
     */
    public Holdfast open() {
        return HoldfastClient.open(new HoldfastClient.Config(
                url, store, namespace, label, defaults, handoffTime, listeners, ticker, scheduler, executor, random));
    }
}
