package io.holdfast.engine;

import io.holdfast.CheckResult;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedLocks;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Election;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.HoldfastListener;
import io.holdfast.Lease;
import io.holdfast.LockNames;
import io.holdfast.LockOptions;
import io.holdfast.LockStatus;
import io.holdfast.LossReason;
import io.holdfast.Mode;
import io.holdfast.Revocation;
import io.holdfast.Scheduler;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.Ticker;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.MarkResult;
import io.holdfast.spi.MarkingStore;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The client: the engine's parts put together over one store. */
public final class HoldfastClient implements Holdfast {
    private static final int MOST_LISTED = 100_000;

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

    private final Env env;
    private final LockOptions defaults;
    private final String label;
    private final OwnThreads threads;
    private final CompletableFuture<Void> closing = new CompletableFuture<>();

    /** The candidacies that are not closed: a program need not keep them (U36). */
    private final Set<Standing> standings = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    private HoldfastClient(Config config, LockStore store, LockOptions defaults) {
        RandomGenerator random = config.random() != null ? config.random() : new SharedRandom();
        String clientId = String.format("%016x", random.nextLong());
        this.threads = new OwnThreads(clientId.substring(0, 6));
        this.defaults = defaults;
        this.label = Identity.label(config.label());
        this.env = new Env(
                store,
                config.ticker() != null ? config.ticker() : Ticker.system(),
                config.scheduler() != null ? config.scheduler() : threads,
                config.executor() != null ? threads.behind(config.executor()) : threads,
                threads::executeAnyway,
                random,
                config.random() != null ? HolderIds.reproducible(random) : HolderIds.ofThisCopy(random),
                new Events(config.listeners()),
                clientId,
                config.handoffTime().toNanos());
        store.attach(new StoreContext(env.ticker, env.scheduler, env.executor, random, env.signals()));
    }

    /** Opens a client. */
    public static Holdfast open(Config config) {
        LockOptions defaults = config.defaults().orElse(Request.DEFAULTS);
        LockStore store = config.store();
        if (store != null && config.url() != null) {
            throw new IllegalArgumentException("give a store or a URL, not both");
        }
        if (store == null) {
            String url = config.url();
            if (url == null) {
                throw new IllegalArgumentException(
                        "no store: give a URL such as redis://localhost:6379, or a store; Holdfast.embedded() opens the"
                                + " store of this machine");
            }
            store = StoreDirectory.open(
                    url,
                    new StoreProvider.Settings(
                            config.namespace(), defaults.ttl().orElseThrow()));
        } else if (!config.namespace().isEmpty()) {
            throw new IllegalArgumentException("namespace '" + config.namespace()
                    + "': a store that is open already has its namespace; give it when opening the store");
        }
        return new HoldfastClient(config, store, defaults);
    }

    Env env() {
        return env;
    }

    Executor executor() {
        return env::execute;
    }

    boolean closed() {
        return closed;
    }

    void keep(Standing standing) {
        standings.add(standing);
    }

    void forget(Standing standing) {
        standings.remove(standing);
    }

    Request request(String name, Mode mode, int permits, LockOptions options) {
        return Request.of(name, mode, permits, options.orElse(defaults), label, env.info);
    }

    @Override
    public DistributedLock mutex(String name) {
        return new NamedLock(this, LockNames.check(name), Mode.EXCLUSIVE);
    }

    @Override
    public DistributedReadWriteLock readWriteLock(String name) {
        record ReadWrite(String name, DistributedLock readLock, DistributedLock writeLock)
                implements DistributedReadWriteLock {}
        return new ReadWrite(LockNames.check(name), new NamedLock(this, name, Mode.SHARED), mutex(name));
    }

    @Override
    public DistributedSemaphore semaphore(String name, int permits) {
        if (permits < 1) {
            throw new IllegalArgumentException("permits of '" + name + "': at least 1, but got " + permits);
        }
        return new NamedSemaphore(this, LockNames.check(name), permits);
    }

    @Override
    public DistributedLocks mutexes(String... names) {
        return new OrderedLocks(this, names);
    }

    @Override
    public Election election(String name) {
        return new LockElection(this, LockNames.check(name));
    }

    Lease acquire(Request request) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Lease lease = blocking(request, true, true);
        if (Thread.interrupted()) {
            if (lease != null) {
                lease.close();
            }
            throw new InterruptedException();
        }
        return Objects.requireNonNull(lease);
    }

    Lease acquireUninterruptibly(Request request) {
        return Objects.requireNonNull(blocking(request, false, true));
    }

    /** A try that throws: the wait of a larger operation is used up. */
    Lease acquireAtOnce(Request request) {
        return Objects.requireNonNull(blocking(request.waiting(0), false, true));
    }

    @Nullable
    Lease tryAcquire(Request request) {
        return blocking(request.isTry() ? request : request.waiting(0), false, false);
    }

    /** Waits on the calling thread. Null if a try was refused, or if the thread was interrupted, whose flag stays. */
    private @Nullable Lease blocking(Request request, boolean interruptibly, boolean throwing) {
        Thread thread = Thread.currentThread();
        NameQueue existing = env.queues.get(request.lockName());
        if (existing != null && !existing.idle() && request.mode() != Mode.PERMIT) {
            Lease inner = existing.reenter(request, thread);
            if (inner != null) {
                return inner;
            }
        }
        Waiter waiter = Waiter.of(request, env.ticker.nanos(), thread);
        NameQueue queue = submit(waiter, true);
        boolean interrupted = false;
        while (waiter.waiting()) {
            if (Thread.interrupted()) {
                interrupted = true;
                if (interruptibly && queue.withdraw(waiter, Waiter.REFUSED)) {
                    break;
                }
            }
            long left = waiter.deadline - env.ticker.nanos();
            if (left <= 0) {
                queue.timeUp(waiter, true);
            } else {
                env.park(left);
            }
        }
        if (interrupted) {
            thread.interrupt();
        } else if (throwing && waiter.outcome() == Waiter.REFUSED) {
            throw waiter.notFree(env);
        }
        return result(waiter.outcome());
    }

    private static @Nullable Lease result(@Nullable Object outcome) {
        if (outcome instanceof LeaseHandle lease) {
            if (Sites.sampled(lease.hold.claim.holder().low())) {
                lease.hold.rememberSite(Sites.here());
            }
            return lease;
        }
        if (outcome instanceof RuntimeException failure) {
            // Made on another thread, perhaps: the caller's stack is the one that helps.
            failure.setStackTrace(new Throwable().getStackTrace());
            throw failure;
        }
        if (outcome instanceof Throwable failure) {
            throw new HoldfastException("the store failed", failure);
        }
        return null;
    }

    CompletableFuture<Lease> acquireAsync(Request request) {
        return async(request, false);
    }

    /** A refused try completes as cancelled; anything else that is refused, with a timeout. */
    private CompletableFuture<Lease> async(Request request, boolean trying) {
        Waiter.Pending future = new Waiter.Pending(trying);
        Waiter waiter = Waiter.of(request, env.ticker.nanos(), future);
        NameQueue queue = submit(waiter, false);
        queue.armTimer(waiter, request.waitNanos());
        future.whenComplete((lease, failure) -> {
            if (waiter.waiting()) {
                queue.withdraw(waiter, Waiter.REFUSED);
            }
        });
        return future;
    }

    CompletableFuture<Optional<Lease>> tryAcquireAsync(Request request) {
        CompletableFuture<Lease> tried = async(request.isTry() ? request : request.waiting(0), true);
        CompletableFuture<Optional<Lease>> result = tried.handle((lease, failure) -> {
            if (lease != null) {
                return Optional.of(lease);
            }
            if (tried.isCancelled()) {
                return Optional.empty();
            }
            throw failure instanceof RuntimeException e ? e : new HoldfastException("the store failed", failure);
        });
        result.whenComplete((lease, failure) -> {
            if (result.isCancelled() && !tried.cancel(false)) {
                tried.thenAccept(Lease::releaseAsync);
            }
        });
        return result;
    }

    private NameQueue submit(Waiter waiter, boolean mayBlock) {
        StackRoom.check();
        String name = waiter.request.lockName();
        while (true) {
            if (closed) {
                throw new IllegalStateException("this Holdfast client is closed");
            }
            NameQueue queue = env.queue(name);
            if (queue.submit(waiter, mayBlock)) {
                if (closed) {
                    queue.close(clientClosed());
                }
                return queue;
            }
        }
    }

    @Override
    public CheckResult check(Sequencer sequencer) {
        Optional<LockStatus> status = inspect(sequencer.lockName());
        for (Holder holder : status.map(LockStatus::holders).orElse(List.of())) {
            if (holder.mode() == sequencer.mode() && holder.covers(sequencer.token())) {
                return CheckResult.VALID;
            }
        }
        long last = status.map(LockStatus::lastToken).orElse(0L);
        return sequencer.token() > last ? CheckResult.UNKNOWN : CheckResult.STALE;
    }

    @Override
    public Optional<LockStatus> inspect(String name) {
        LockQuery query = LockQuery.name(LockNames.check(name));
        return env.ask("inspecting lock '" + name + "'", () -> env.store.inspect(query)).stream()
                .findFirst();
    }

    @Override
    public List<LockStatus> list(String prefix, int limit) {
        if (limit < 1 || limit > MOST_LISTED) {
            throw new IllegalArgumentException("limit: 1 to " + MOST_LISTED + ", but got " + limit);
        }
        LockQuery query = LockQuery.prefix(prefix.isEmpty() ? prefix : LockNames.check("prefix", prefix), limit);
        return env.ask("listing locks", () -> env.store.inspect(query));
    }

    @Override
    public Optional<Duration> revoke(String name, Revocation how) {
        LockNames.check(name);
        RevokeResult result = env.ask("revoking lock '" + name + "'", () -> env.store.revoke(name, how));
        return result instanceof RevokeResult.Revoked revoked ? Optional.of(revoked.opensIn()) : Optional.empty();
    }

    @Override
    public void admit(String resource, Sequencer sequencer) {
        LockNames.check("resource", resource);
        if (!(env.store instanceof MarkingStore marking)) {
            throw new UnsupportedOperationException(
                    "store " + store() + " keeps no marks: use a guard at the resource");
        }
        if (sequencer.mode() == Mode.PERMIT) {
            throw new IllegalArgumentException("'" + resource + "': permits cannot be fenced");
        }
        MarkResult result = env.ask("admitting to '" + resource + "'", () -> marking.admit(resource, sequencer));
        if (result instanceof MarkResult.Stale stale) {
            throw new StaleTokenException(resource, sequencer.lockName(), stale.seen(), sequencer.token());
        }
        if (result instanceof MarkResult.OtherLock other) {
            throw new IllegalArgumentException("'" + resource + "' is guarded by lock '" + other.lockName()
                    + "', but the sequencer is of lock '" + sequencer.lockName() + "'");
        }
    }

    @Override
    public String store() {
        return env.info.location();
    }

    @Override
    public String clientId() {
        return env.clientId;
    }

    @Override
    public void close() {
        CompletableFuture<Void> done = closeAsync();
        Thread thread = Thread.currentThread();
        done.whenComplete((nothing, failure) -> LockSupport.unpark(thread));
        env.parkUntil(done::isDone, env.ticker.nanos() + 2 * env.ioNanos);
    }

    /** Closes without blocking; completes when the store is closed, before two I/O timeouts have passed. */
    public CompletableFuture<Void> closeAsync() {
        synchronized (this) {
            if (closed) {
                return closing;
            }
            closed = true;
        }
        new ArrayList<>(env.queues.values()).forEach(queue -> queue.close(clientClosed()));
        List<Hold> held = env.keeper().holds();
        held.forEach(hold -> env.keeper().lose(hold, LossReason.CLIENT_CLOSED));
        standings.forEach(Standing::clientClosed);
        standings.clear();
        AtomicBoolean finished = new AtomicBoolean();
        Runnable finish = () -> {
            if (finished.compareAndSet(false, true)) {
                env.execute(this::finish);
            }
        };
        long deadline = env.ticker.nanos() + env.ioNanos;
        // A release that is not answered within one I/O timeout is sent once more (L16).
        Scheduler.Timer bound = env.scheduler.schedule(finish, env.ioNanos + env.ioNanos / 4 * 3);
        closing.whenComplete((nothing, failure) -> bound.cancel());
        Runnable releases = () -> {
            for (Hold hold : held) {
                if (deadline - env.ticker.nanos() > 0) {
                    env.late().release(hold);
                }
            }
            env.late().whenQuiet(finish);
        };
        if (!env.info.blocking() || !env.offer(releases)) {
            releases.run();
        }
        return closing;
    }

    private void finish() {
        try {
            env.store.close();
        } catch (RuntimeException e) {
            Log.warning("store " + store() + " did not close cleanly", e);
        } finally {
            closing.complete(null);
            threads.close();
        }
    }

    private static HoldfastException clientClosed() {
        return new HoldfastException("the Holdfast client was closed while the request waited");
    }

    @Override
    public String toString() {
        return "Holdfast[" + store() + ", client " + env.clientId + "]";
    }
}
