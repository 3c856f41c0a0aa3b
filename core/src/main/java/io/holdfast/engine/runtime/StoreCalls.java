package io.holdfast.engine.runtime;

import io.holdfast.HoldfastException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.QueueingStore;
import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.WatchableStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The store of one client, and the thread on which it is called. */
public final class StoreCalls {
    private final LockStore store;
    private final StoreInfo info;
    private final @Nullable QueueingStore queueing;
    private final @Nullable WatchableStore watchable;
    private final ClientTime time;
    private final Executor executor;
    private final BlockingCallLimiter limiter;
    private final UnfinishedCalls unfinished = new UnfinishedCalls();
    private volatile boolean unreachable;

    public StoreCalls(LockStore store, ClientTime time, Executor executor) {
        this.store = store;
        this.info = store.info();
        this.queueing = store instanceof QueueingStore q ? q : null;
        this.watchable = store instanceof WatchableStore w ? w : null;
        this.time = time;
        this.executor = executor;
        this.limiter = new BlockingCallLimiter(executor);
    }

    public LockStore store() {
        return store;
    }

    public StoreInfo info() {
        return info;
    }

    /** The store, if it has a queue. */
    public @Nullable QueueingStore queueing() {
        return queueing;
    }

    /** The store, if it gives hints. */
    public @Nullable WatchableStore watchable() {
        return watchable;
    }

    /** The store's I/O timeout in ns. */
    public long ioNanos() {
        return info.ioTimeout().toNanos();
    }

    public UnfinishedCalls unfinished() {
        return unfinished;
    }

    /** The store said that it cannot be reached. */
    public void disconnected() {
        unreachable = true;
    }

    /** The store answered. */
    public void reached() {
        if (unreachable) {
            unreachable = false;
        }
    }

    /** Whether the store said that it cannot be reached, and has answered no request for a lock since (L14). */
    public boolean unreachable() {
        return unreachable;
    }

    /**
     * Calls a verb of the store and hands its result or failure to {@code done}, on whatever thread it completes. A
     * store that does its I/O on the calling thread is called here only if that thread may block.
     */
    public <T> void call(
            boolean mayBlock, Supplier<CompletionStage<T>> verb, BiConsumer<@Nullable T, @Nullable Throwable> done) {
        if (mayBlock || !info.blocking()) {
            callHere(verb, done);
        } else if (!offer(() -> callHere(verb, done))) {
            done.accept(null, closed());
        }
    }

    /** Runs a store call that may block on one of a few threads; false if the client is closed. */
    public boolean offer(Runnable task) {
        return limiter.offer(task);
    }

    /** The failure of a call that no thread takes any more. */
    public static StoreUnavailableException closed() {
        return new StoreUnavailableException("the client is closed", false, null);
    }

    /** As {@link #call}, but not behind other calls: a renewal must not wait for a thousand requests. */
    public <T> void callUrgently(Supplier<CompletionStage<T>> verb, BiConsumer<@Nullable T, @Nullable Throwable> done) {
        if (!info.blocking()) {
            callHere(verb, done);
            return;
        }
        try {
            executor.execute(() -> callHere(verb, done));
        } catch (RejectedExecutionException e) {
            done.accept(null, new StoreUnavailableException("the client is closed", false, e));
        } catch (Throwable e) {
            done.accept(null, new StoreUnavailableException("no thread could be had for a call", false, e));
        }
    }

    /** The value of a stage that has completed normally already; else null. */
    public static <T> @Nullable T known(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        return future.isDone() && !future.isCompletedExceptionally() ? future.join() : null;
    }

    private static <T> void callHere(
            Supplier<CompletionStage<T>> verb, BiConsumer<@Nullable T, @Nullable Throwable> done) {
        CompletionStage<T> stage;
        try {
            stage = verb.get();
        } catch (Throwable e) {
            done.accept(null, e);
            return;
        }
        T known = known(stage);
        if (known != null) {
            done.accept(known, null);
        } else {
            stage.whenComplete((value, failure) -> done.accept(value, unwrapped(failure)));
        }
    }

    public static @Nullable Throwable unwrapped(@Nullable Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** Calls a verb on this thread and waits for it, for two I/O timeouts at most; also if the thread is interrupted. */
    public <T> T ask(String what, Supplier<CompletionStage<T>> verb) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        call(true, verb, (value, failure) -> {
            if (failure != null) {
                answer.completeExceptionally(failure);
            } else {
                answer.complete(value);
            }
        });
        Thread thread = Thread.currentThread();
        answer.whenComplete((value, failure) -> LockSupport.unpark(thread));
        if (!time.parkUntil(answer::isDone, time.nanos() + 2 * ioNanos())) {
            throw new StoreUnavailableException(what + ": store " + info.location() + " did not answer", true, null);
        }
        try {
            return answer.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new HoldfastException(what, e.getCause());
        }
    }
}
