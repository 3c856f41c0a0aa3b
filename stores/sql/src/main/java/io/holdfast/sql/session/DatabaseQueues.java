package io.holdfast.sql.session;

import io.holdfast.spi.StoreContext;
import io.holdfast.spi.WatchableStore.Watch;
import io.holdfast.sql.config.SqlConfig;
import io.holdfast.sql.connection.Callbacks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * This client's places in the queues of the database. A {@link QueueWaiter} waits in each. The client has at most one
 * place per name, because its threads queue inside it, and places for at most half of its connections, so that waiting
 * never keeps it from holding. A watch that finds no place is woken to ask again after a pause.
 *
 * <pre>
 *   WAITING ──the database gave the lock──▶ WON ──taken over by a claim──▶ OVER
 *      │                                     └─no claim took it, or no watch is left─▶ FREEING ──▶ OVER
 *      └─no watch is left, an error─▶ OVER
 * </pre>
 *
 * <ul>
 *   <li>I1: every field of a place is guarded by {@code lock}; statements run outside of it.
 *   <li>I2: a connection has one owner: the waiter's thread, or the claim that took it while it was WON.
 *   <li>I3: a lock that was WON is no grant: no claim was told of it, and no token was drawn. The server ends the
 *       connection if it is silent for {@link SessionLocks#UNCLAIMED}, so that a client that stops here does not keep the
 *       lock for long.
 * </ul>
 *
 * <p>A wait is cut into slices that are shorter than the I/O timeout, so that a connection on which nothing answers is
 * noticed as everywhere else. The price is the place in the queue, once per slice.
 */
final class DatabaseQueues implements AutoCloseable {
    private static final long TAKE_WITHIN = Duration.ofSeconds(1).toNanos();
    private static final long AFTER_FAILURE = Duration.ofSeconds(1).toNanos();

    private enum State {
        WAITING,
        WON,
        FREEING,
        OVER
    }

    private final SessionLocks locks;
    private final LockConnections pool;
    private final SqlConfig config;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<String, QueuePlace> places = new HashMap<>();
    private final Map<String, List<Watching>> watches = new HashMap<>();
    private final Map<String, Long> notBefore = new HashMap<>();
    private @Nullable StoreContext context;
    private boolean closed;

    /** Whether there is a watch or a place: a lock for which no thread waits costs one read of this field. */
    private volatile boolean busy;

    DatabaseQueues(SessionLocks locks, LockConnections pool, SqlConfig config) {
        this.locks = locks;
        this.pool = pool;
        this.config = config;
    }

    void attach(StoreContext given) {
        lock.lock();
        try {
            context = given;
        } finally {
            lock.unlock();
        }
    }

    /** Calls {@code wake} when the lock may be had; the connection that has it then waits for a claim. */
    Watch watch(String name, Runnable wake) {
        Watching watching = new Watching(name, wake);
        lock.lock();
        try {
            busy = true;
            watches.computeIfAbsent(name, any -> new ArrayList<>()).add(watching);
            enter(name);
        } finally {
            lock.unlock();
        }
        return watching;
    }

    /** The lock, if a waiter of this client has won it: it is the caller's now. */
    @Nullable
    WonLock take(String name, long budgetNanos) {
        if (!busy) {
            return null;
        }
        QueuePlace unwanted = unwanted(name);
        if (unwanted != null) {
            unwanted.waiter.cancel();
        }
        lock.lock();
        try {
            QueuePlace place = awaitLeft(name, budgetNanos);
            return place != null && place.state == State.WON ? place.taken() : null;
        } finally {
            lock.unlock();
        }
    }

    /** A waiter that no watch wants any more: it would be in the way of the claim that asks the database. */
    private @Nullable QueuePlace unwanted(String name) {
        lock.lock();
        try {
            QueuePlace place = places.get(name);
            if (place == null || place.state != State.WAITING || watches.containsKey(name)) {
                return null;
            }
            place.cancelled = true;
            return place;
        } finally {
            lock.unlock();
        }
    }

    /** Under the lock: waits while a place is being left, which may begin at any moment; the one that is there then. */
    private @Nullable QueuePlace awaitLeft(String name, long nanos) {
        long left = nanos;
        QueuePlace place = places.get(name);
        try {
            while (place != null && place.isLeaving() && left > 0) {
                left = changed.awaitNanos(left);
                place = places.get(name);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return place;
    }

    /** Whether this client waits in the database's queue for this name, or has won it. */
    boolean isQueued(String name) {
        if (!busy) {
            return false;
        }
        lock.lock();
        try {
            return watches.containsKey(name) && places.containsKey(name);
        } finally {
            lock.unlock();
        }
    }

    /** A claim was refused: its watch gets a place in the queue if there is one, else it is woken after a pause. */
    boolean refused(String name) {
        StoreContext given;
        lock.lock();
        try {
            if (!watches.containsKey(name) || closed) {
                return false;
            }
            if (enter(name)) {
                return true;
            }
            given = context;
        } finally {
            lock.unlock();
        }
        if (given != null) {
            long random = config.pauseRandom().toNanos();
            long pause =
                    config.pauseMin().toNanos() + (random > 0 ? given.random().nextLong(random) : 0);
            given.scheduler().schedule(() -> wake(name), pause);
        }
        return false;
    }

    /** Under the lock: whether this client has a place in the queue now. */
    private boolean enter(String name) {
        if (places.containsKey(name)) {
            return true;
        }
        Long since = notBefore.get(name);
        boolean tooSoon = since != null && System.nanoTime() - since < 0;
        if (closed || tooSoon || places.size() >= config.poolSize() / 2) {
            return false;
        }
        QueuePlace place = new QueuePlace(name);
        place.waiter.start(); // if there is no thread for it, there is no place
        places.put(name, place);
        return true;
    }

    private void wake(String name) {
        List<Watching> all;
        lock.lock();
        try {
            all = List.copyOf(watches.getOrDefault(name, List.of()));
        } finally {
            lock.unlock();
        }
        all.forEach(watching -> Callbacks.run(watching.wake));
    }

    @Override
    public void close() {
        List<QueuePlace> all;
        lock.lock();
        try {
            closed = true;
            watches.clear();
            all = List.copyOf(places.values());
            all.forEach(place -> place.cancelled = true);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        all.forEach(place -> place.waiter.cancel());
        all.forEach(place -> place.waiter.join());
    }

    /** One watch. */
    private final class Watching implements Watch {
        private final String name;
        private final Runnable wake;

        Watching(String name, Runnable wake) {
            this.name = name;
            this.wake = wake;
        }

        /** Without I/O: a waiter that no watch wants ends by itself, at the end of its slice. */
        @Override
        public void close() {
            lock.lock();
            try {
                watches.computeIfPresent(name, (any, all) -> {
                    all.remove(this);
                    return all.isEmpty() ? null : all;
                });
                busy = !watches.isEmpty() || !places.isEmpty();
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** This client's place in the database's queue for one name. */
    private final class QueuePlace implements QueueWaiter.Place {
        private final String name;
        private final QueueWaiter waiter;
        private State state = State.WAITING;
        private @Nullable WonLock won;
        private boolean cancelled;

        QueuePlace(String name) {
            this.name = name;
            this.waiter = new QueueWaiter(locks, pool, config, name, this);
        }

        @Override
        public boolean isWanted() {
            lock.lock();
            try {
                return !cancelled && watches.containsKey(name);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public boolean offer(WonLock lockWon) {
            lock.lock();
            try {
                won = lockWon;
                state = State.WON;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            wake(name);
            lock.lock();
            try {
                awaitTaken();
                boolean taken = won == null;
                state = taken ? State.OVER : State.FREEING;
                return taken;
            } finally {
                lock.unlock();
            }
        }

        /** Under the lock. */
        private void awaitTaken() {
            long left = TAKE_WITHIN;
            try {
                while (won != null && !cancelled && watches.containsKey(name) && left > 0) {
                    left = changed.awaitNanos(left);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** Under the lock. */
        boolean isLeaving() {
            return state == State.FREEING || (state == State.WAITING && cancelled);
        }

        /** Under the lock, in WON: the connection is the caller's now. */
        WonLock taken() {
            WonLock given = Objects.requireNonNull(won);
            won = null;
            state = State.OVER;
            places.remove(name, this);
            changed.signalAll();
            return given;
        }

        @Override
        public void ended(boolean healthy) {
            boolean wanted;
            lock.lock();
            try {
                state = State.OVER;
                places.remove(name, this);
                busy = !watches.isEmpty() || !places.isEmpty();
                wanted = !closed && watches.containsKey(name);
                long now = System.nanoTime();
                notBefore.values().removeIf(until -> now - until > 0);
                if (!healthy && !cancelled) {
                    notBefore.put(name, now + AFTER_FAILURE);
                }
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            if (wanted) {
                wake(name);
            }
        }
    }
}
