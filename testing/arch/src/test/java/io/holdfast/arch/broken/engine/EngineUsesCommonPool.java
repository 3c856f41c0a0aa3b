package io.holdfast.arch.broken.engine;

import java.util.concurrent.CompletableFuture;

/** Breaks: core stays off the common pool. */
public final class EngineUsesCommonPool {
    private EngineUsesCommonPool() {}

    /** Runs on threads that were not injected. */
    public static CompletableFuture<Void> run(Runnable task) {
        return CompletableFuture.runAsync(task);
    }
}
