package io.holdfast.engine;

import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LossReason;
import io.holdfast.Scheduler;
import io.holdfast.StoreUnavailableException;
import io.holdfast.Ticker;
import io.holdfast.spi.Claim;
import io.holdfast.spi.HolderId;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.QueueingStore;
import io.holdfast.spi.StoreInfo;
import io.holdfast.spi.StoreSignals;
import io.holdfast.spi.WatchableStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** What the parts of one client share: the store, clocks, threads, randomness, and how the store is called. */
final class Env {
    final LockStore store;
    final StoreInfo info;
    final @Nullable QueueingStore queueing;
    final @Nullable WatchableStore watchable;
    final Ticker ticker;
    final Scheduler scheduler;
    final Executor executor;
    private final Executor lastResort;
    final RandomGenerator random;
    private final HolderIds ids;
    final Events events;
    final String clientId;
    final long handoffNanos;
    final long ioNanos;

    /** The longest pause between two tries of a client that is refused, at most {@link Claim#LONGEST_PAUSE}. */
    final Duration longestPause;

    final ConcurrentMap<String, NameQueue> queues = new ConcurrentHashMap<>();
    final IdleQueues idleQueues = new IdleQueues();

    /** The leases held through {@link java.util.concurrent.locks.Lock} views. */
    final ConcurrentMap<ThreadLock.Owner, ArrayDeque<Lease>> viewed = new ConcurrentHashMap<>();

    private final LeaseKeeper keeper;
    private final LateReleases late;
    private final Lanes lanes;
    private final boolean realTime;
    private volatile boolean unreachable;

    Env(
            LockStore store,
            Ticker ticker,
            Scheduler scheduler,
            Executor executor,
            Executor lastResort,
            RandomGenerator random,
            HolderIds ids,
            Events events,
            String clientId,
            long handoffNanos) {
        this.store = store;
        this.info = store.info();
        this.queueing = store instanceof QueueingStore q ? q : null;
        this.watchable = store instanceof WatchableStore w ? w : null;
        this.ticker = ticker;
        this.scheduler = scheduler;
        this.executor = executor;
        this.lastResort = lastResort;
        this.random = random;
        this.ids = ids;
        this.events = events;
        this.clientId = clientId;
        this.handoffNanos = handoffNanos;
        this.ioNanos = info.ioTimeout().toNanos();
        Duration pause = info.pauseMin().plus(info.pauseRandom());
        this.longestPause = pause.compareTo(Claim.LONGEST_PAUSE) < 0 ? pause : Claim.LONGEST_PAUSE;
        this.realTime = ticker == Ticker.system();
        this.lanes = new Lanes(executor);
        this.keeper = new LeaseKeeper(this);
        this.late = new LateReleases(this);
    }

    /** The names that somebody of this client holds or waits for. */
    List<String> busyNames() {
        return queues.values().stream()
                .filter(queue -> !queue.idle())
                .map(queue -> queue.name)
                .sorted()
                .toList();
    }

    /** Keeps this client's holds alive. */
    LeaseKeeper keeper() {
        return keeper;
    }

    /** What the store tells on its own. */
    StoreSignals signals() {
        return new StoreSignals() {
            @Override
            public void lost(HolderId holder, LossReason reason) {
                keeper.lost(holder, reason);
            }

            @Override
            public void disconnected() {
                unreachable = true;
                keeper.disconnected();
            }

            @Override
            public void connected() {
                unreachable = false;
                keeper.connected();
            }
        };
    }

    /** Whether the store said that it cannot be reached, and has answered no request for a lock since (L14). */
    boolean unreachable() {
        return unreachable;
    }

    /** The store answered. */
    void reached() {
        if (unreachable) {
            unreachable = false;
        }
    }

    /** Releases what nobody uses. */
    LateReleases late() {
        return late;
    }

    /** The queue of a name, made if there is none. It may be retired by the time it is used. */
    NameQueue queue(String name) {
        NameQueue known = queues.get(name);
        if (known != null) {
            return known;
        }
        NameQueue fresh = new NameQueue(name, this);
        NameQueue other = queues.putIfAbsent(name, fresh);
        return other == null ? fresh : other;
    }

    /** A release was answered: other clients wait for the name, and this one leaves it to them (L21). */
    void standBack(String name, Duration howLong) {
        while (!queue(name).standBack(howLong)) {
            Thread.onSpinWait();
        }
    }

    /** A claim of this request with a fresh holder id; {@code pause} is what a store may note of it (L21). */
    Claim claim(Request request, int span, Duration pause) {
        HolderId holder = ids.next();
        return new Claim(
                request.lockName(),
                holder,
                clientId,
                request.label(),
                request.mode(),
                request.permits(),
                request.ttl(),
                request.lockDelay(),
                span,
                pause);
    }

    /**
     * By how much the wall clock is ahead of the monotonic one, in ns. It jumps when the machine was suspended (U21). The
     * two are read anew if the thread was held up between them: that would look like a jump.
     */
    long wallLead() {
        long before = ticker.nanos();
        for (int tries = 0; ; tries++) {
            long wall = ticker.wallMicros();
            long after = ticker.nanos();
            if (after - before < 500_000 || tries == 10) {
                return wall * 1000 - after;
            }
            before = after;
        }
    }

    /** 1 % of the TTL and 2 ms: by so much the holder believes less than the store promised. */
    static long drift(long ttlNanos) {
        return ttlNanos / 100 + 2_000_000;
    }

    /** A pause (S): uniform in {@code [min, min + random)}. */
    long pauseNanos() {
        long span = info.pauseRandom().toNanos();
        return info.pauseMin().toNanos() + (span > 0 ? random.nextLong(span) : 0);
    }

    /**
     * Calls a verb of the store and hands its result or failure to {@code done}, on whatever thread it completes. A
     * store that does its I/O on the calling thread is called here only if that thread may block.
     */
    <T> void call(
            boolean mayBlock, Supplier<CompletionStage<T>> verb, BiConsumer<@Nullable T, @Nullable Throwable> done) {
        if (mayBlock || !info.blocking()) {
            callHere(verb, done);
        } else if (!offer(() -> callHere(verb, done))) {
            done.accept(null, new StoreUnavailableException("the client is closed", false, null));
        }
    }

    /** Runs a store call that may block on one of a few threads; false if the client is closed. */
    boolean offer(Runnable task) {
        return lanes.offer(task);
    }

    /** As {@link #call}, but never behind other calls: a renewal must not wait for a thousand requests. */
    <T> void callUrgently(Supplier<CompletionStage<T>> verb, BiConsumer<@Nullable T, @Nullable Throwable> done) {
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
    static <T> @Nullable T known(CompletionStage<T> stage) {
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

    static @Nullable Throwable unwrapped(@Nullable Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** Calls a verb and waits for it, for two I/O timeouts at most; also on an interrupted thread. */
    <T> T ask(String what, Supplier<CompletionStage<T>> verb) {
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
        if (!parkUntil(answer::isDone, ticker.nanos() + 2 * ioNanos)) {
            throw new StoreUnavailableException(what + ": store " + info.location() + " did not answer", true, null);
        }
        try {
            return answer.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new HoldfastException(what, e.getCause());
        }
    }

    /** Waits, whatever the interrupts, until {@code done} or the deadline; says which. Interrupts are kept. */
    boolean parkUntil(BooleanSupplier done, long deadline) {
        boolean interrupted = false;
        while (!done.getAsBoolean()) {
            long left = deadline - ticker.nanos();
            if (left <= 0) {
                break;
            }
            park(left);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return done.getAsBoolean();
    }

    /** Parks the thread for at most that long on the client's clock, or until it is unparked or interrupted. */
    void park(long nanos) {
        if (realTime) {
            LockSupport.parkNanos(this, nanos);
            return;
        }
        Thread thread = Thread.currentThread();
        Scheduler.Timer timer = scheduler.schedule(() -> LockSupport.unpark(thread), nanos);
        LockSupport.park(this);
        timer.cancel();
    }

    /**
     * Runs what may be an application's code on the client's executor, and where that takes no more on a thread of the
     * client: never on the calling thread, which may be the one that reads a connection (L13).
     */
    void execute(Runnable task) {
        Once once = new Once(() -> {
            try {
                task.run();
            } catch (Throwable e) {
                Log.warning("a callback failed", e);
            }
        });
        try {
            executor.execute(once);
        } catch (Throwable rejected) {
            if (!once.ran()) {
                lastResort.execute(once);
            }
        }
    }
}
