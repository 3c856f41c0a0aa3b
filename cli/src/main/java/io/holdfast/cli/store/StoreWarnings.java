package io.holdfast.cli.store;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Collects the warnings that a store logs while it is opened, and prints each once: a server that keeps nothing on disk,
 * or does not flush. Later events the command reports itself.
 */
public final class StoreWarnings {
    private static final AtomicReference<@Nullable Consumer<String>> LISTENER = new AtomicReference<>();
    private static final String OURS = "io.holdfast.";

    private StoreWarnings() {}

    public static <T> T during(Supplier<T> open, Consumer<String> warn) {
        Set<String> told = new HashSet<>();
        LISTENER.set(message -> {
            synchronized (told) {
                if (told.add(message)) {
                    warn.accept("warning: " + message);
                }
            }
        });
        try {
            return open.get();
        } finally {
            LISTENER.set(null);
        }
    }

    /** Whether a store is being opened. */
    public static boolean wanted() {
        return LISTENER.get() != null;
    }

    /** Hands a warning on, if it is from a store of ours. */
    public static void tell(String logger, String message) {
        @Nullable Consumer<String> listener = LISTENER.get();
        if (listener != null && logger.startsWith(OURS)) {
            listener.accept(message);
        }
    }
}
