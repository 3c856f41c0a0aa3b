package io.holdfast.engine;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastListener;
import io.holdfast.LockOptions;
import io.holdfast.Scheduler;
import io.holdfast.Ticker;
import io.holdfast.spi.LockStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The client. */
public final class HoldfastClient {
    private HoldfastClient() {}

    /** What a client is opened with. */
    public record Config(
            @Nullable String url,
            @Nullable LockStore store,
            String namespace,
            @Nullable String label,
            LockOptions defaults,
            Duration handoffTime,
            List<HoldfastListener> listeners,
            @Nullable Ticker ticker,
            @Nullable Scheduler scheduler,
            @Nullable Executor executor,
            @Nullable RandomGenerator random) {}

    /** Opens a client. */
    public static Holdfast open(Config config) {
        if (config.store() == null) {
            throw new IllegalArgumentException("no store");
        }
        throw new UnsupportedOperationException("the engine is being written: " + config.namespace());
    }
}
