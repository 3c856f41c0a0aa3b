package io.holdfast.cli.command;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Warnings that a store logs while it is opened, told to people once each: a server that keeps nothing on disk, or does
 * not flush. What is logged later the command says in words of its own.
 */
public final class StoreWarnings {
    private static final AtomicReference<@Nullable Consumer<String>> LISTENER = new AtomicReference<>();
    private static final String OURS = "io.holdfast.";

    private StoreWarnings() {}

    static <T> T during(Supplier<T> open, Consumer<String> warn) {
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
