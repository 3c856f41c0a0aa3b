package io.holdfast.engine.client;

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
import io.holdfast.engine.lease.HeldGrant;
import io.holdfast.engine.lease.LeaseHandle;
import io.holdfast.engine.lease.LeaseKeeper;
import io.holdfast.engine.lease.Releases;
import io.holdfast.engine.lease.Request;
import io.holdfast.engine.lease.ViewedLeases;
import io.holdfast.engine.queue.ClaimSource;
import io.holdfast.engine.queue.PendingLease;
import io.holdfast.engine.queue.QueueRunner;
import io.holdfast.engine.queue.Queues;
import io.holdfast.engine.queue.RunnerParts;
import io.holdfast.engine.queue.Waiter;
import io.holdfast.engine.runtime.Callbacks;
import io.holdfast.engine.runtime.ClientTime;
import io.holdfast.engine.runtime.Events;
import io.holdfast.engine.runtime.HolderIds;
import io.holdfast.engine.runtime.Log;
import io.holdfast.engine.runtime.OwnThreads;
import io.holdfast.engine.runtime.SharedRandom;
import io.holdfast.engine.runtime.StackRoom;
import io.holdfast.engine.runtime.StoreCalls;
import io.holdfast.spi.LockQuery;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.MarkResult;
import io.holdfast.spi.MarkingStore;
import io.holdfast.spi.RevokeResult;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreProvider;
import java.time.Duration;
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

    private final LockStore store;
    private final String clientId;
    private final ClientTime time;
    private final Callbacks callbacks;
    private final StoreCalls calls;
    private final LeaseKeeper keeper;
    private final Releases releases;
    private final ViewedLeases views = new ViewedLeases();
    private final ClaimSource claims;
    private final Queues queues;
    private final LockOptions defaults;
    private final String label;
    private final OwnThreads threads;
    private final CompletableFuture<Void> closing = new CompletableFuture<>();

    /** The candidacies that are not closed: a program need not keep them (U36). */
    private final Set<Standing> standings = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    private HoldfastClient(Config config, LockStore store, LockOptions defaults) {
        RandomGenerator random = config.random() != null ? config.random() : new SharedRandom();
        this.store = store;
        this.clientId = String.format("%016x", random.nextLong());
        this.threads = new OwnThreads(clientId.substring(0, 6));
        this.defaults = defaults;
        this.label = Identity.label(config.label());
        this.time = new ClientTime(
                config.ticker() != null ? config.ticker() : Ticker.system(),
                config.scheduler() != null ? config.scheduler() : threads);
        Executor executor = config.executor() != null ? threads.behind(config.executor()) : threads;
        Events events = new Events(config.listeners());
        this.callbacks = new Callbacks(executor, threads::executeAnyway);
        this.calls = new StoreCalls(store, time, executor);
        this.keeper = new LeaseKeeper(calls, time, callbacks, events, views);
        this.releases = new Releases(calls, time, this::standBack);
        HolderIds ids = config.random() != null ? HolderIds.reproducible(random) : HolderIds.ofThisCopy(random);
        this.claims = new ClaimSource(clientId, ids, random, calls.info());
        RunnerParts parts = new RunnerParts(calls, time, callbacks, events, keeper, releases, claims);
        this.queues = new Queues(parts, config.handoffTime().toNanos());
        store.attach(
                new StoreContext(time.ticker(), time.scheduler(), executor, random, new ClientSignals(calls, keeper)));
    }

    private void standBack(String name, Duration howLong) {
        queues.standBack(name, howLong);
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

    ClientTime time() {
        return time;
    }

    /** Runs code of the application. */
    Callbacks callbacks() {
        return callbacks;
    }

    /** Keeps the grants of this client alive. */
    LeaseKeeper keeper() {
        return keeper;
    }

    ViewedLeases views() {
        return views;
    }

    /** The queues of the names that this client uses. */
    public Queues queues() {
        return queues;
    }

    /** On a store without a queue other clients need some pauses in which to be first. */
    long behindOthers() {
        return calls.queueing() != null ? 0 : 4 * claims.pauseNanos();
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
        return Request.of(name, mode, permits, options.orElse(defaults), label, calls.info());
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
        QueueRunner inUse = request.mode() == Mode.PERMIT ? null : queues.inUse(request.lockName());
        Lease inner = inUse == null ? null : inUse.reenter(request, thread);
        if (inner != null) {
            return inner;
        }
        Waiter waiter = new Waiter(request, time.nanos(), thread);
        QueueRunner queue = submit(waiter);
        if (queue.await(waiter, interruptibly)) {
            thread.interrupt();
        } else if (throwing && waiter.outcome() == Waiter.REFUSED) {
            throw queue.notFree(waiter);
        }
        return result(waiter.outcome());
    }

    private static @Nullable Lease result(@Nullable Object outcome) {
        if (outcome instanceof LeaseHandle lease) {
            lease.received();
            return lease;
        }
        if (outcome instanceof RuntimeException failure) {
            // Perhaps made on another thread: the caller's stack is the one that helps.
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
        PendingLease future = new PendingLease(trying);
        Waiter waiter = new Waiter(request, time.nanos(), future);
        QueueRunner queue = submit(waiter);
        queue.limitWait(waiter);
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

    private QueueRunner submit(Waiter waiter) {
        StackRoom.check();
        String name = waiter.request().lockName();
        while (true) {
            if (closed) {
                throw new IllegalStateException("this Holdfast client is closed");
            }
            QueueRunner queue = queues.of(name);
            if (queue.submit(waiter)) {
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
        return calls.ask("inspecting lock '" + name + "'", () -> store.inspect(query)).stream()
                .findFirst();
    }

    @Override
    public List<LockStatus> list(String prefix, int limit) {
        if (limit < 1 || limit > MOST_LISTED) {
            throw new IllegalArgumentException("limit: 1 to " + MOST_LISTED + ", but got " + limit);
        }
        LockQuery query = LockQuery.prefix(prefix.isEmpty() ? prefix : LockNames.check("prefix", prefix), limit);
        return calls.ask("listing locks", () -> store.inspect(query));
    }

    @Override
    public Optional<Duration> revoke(String name, Revocation how) {
        LockNames.check(name);
        RevokeResult result = calls.ask("revoking lock '" + name + "'", () -> store.revoke(name, how));
        return result instanceof RevokeResult.Revoked revoked ? Optional.of(revoked.opensIn()) : Optional.empty();
    }

    @Override
    public void admit(String resource, Sequencer sequencer) {
        LockNames.check("resource", resource);
        if (!(store instanceof MarkingStore marking)) {
            throw new UnsupportedOperationException(
                    "store " + store() + " keeps no marks: use a guard at the resource");
        }
        if (sequencer.mode() == Mode.PERMIT) {
            throw new IllegalArgumentException("'" + resource + "': permits cannot be fenced");
        }
        MarkResult result = calls.ask("admitting to '" + resource + "'", () -> marking.admit(resource, sequencer));
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
        return calls.info().location();
    }

    @Override
    public String clientId() {
        return clientId;
    }

    @Override
    public void close() {
        CompletableFuture<Void> done = closeAsync();
        Thread thread = Thread.currentThread();
        done.whenComplete((nothing, failure) -> LockSupport.unpark(thread));
        time.parkUntil(done::isDone, time.nanos() + 2 * calls.ioNanos());
    }

    /** Closes without blocking; completes when the store is closed, before two I/O timeouts have passed. */
    public CompletableFuture<Void> closeAsync() {
        synchronized (this) {
            if (closed) {
                return closing;
            }
            closed = true;
        }
        List<HeldGrant> held = queues.close(clientClosed());
        held.forEach(grant -> keeper.lose(grant, LossReason.CLIENT_CLOSED));
        standings.forEach(Standing::clientClosed);
        standings.clear();
        AtomicBoolean finished = new AtomicBoolean();
        Runnable finish = () -> {
            if (finished.compareAndSet(false, true)) {
                callbacks.execute(this::finish);
            }
        };
        long deadline = time.nanos() + calls.ioNanos();
        // A release that is not answered within one I/O timeout is sent once more (L16).
        Scheduler.Timer bound = time.schedule(finish, calls.ioNanos() + calls.ioNanos() / 4 * 3);
        closing.whenComplete((nothing, failure) -> bound.cancel());
        Runnable sendReleases = () -> {
            for (HeldGrant grant : held) {
                if (deadline - time.nanos() > 0) {
                    releases.release(grant);
                }
            }
            calls.unfinished().whenQuiet(finish);
        };
        if (!calls.info().blocking() || !calls.offer(sendReleases)) {
            sendReleases.run();
        }
        return closing;
    }

    private void finish() {
        try {
            store.close();
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
        return "Holdfast[" + store() + ", client " + clientId + "]";
    }
}
