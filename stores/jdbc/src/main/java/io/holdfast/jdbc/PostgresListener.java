package io.holdfast.jdbc;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.WaitingThread;
import io.holdfast.spi.WatchableStore.Watch;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Hears of names that were given back, on one connection of its own and one thread, both started by the first watch.
 *
 * <p>A thread that waits for one of the names may hear in place of that thread ({@link #borrow}), and then asks for its lock
 * on the same connection: the database process that told it of the release is awake, and so is the thread (ADR 32).
 *
 * <ul>
 *   <li>I1: one thread hears at a time: the own one, or the one in {@code lent}. The first wants {@code hearing} to be
 *       true, which only it changes; the second wants it to be false. Both fields are guarded by {@code lock}.
 *   <li>I2: who comes back from {@link #borrow} leaves the own thread hearing, or about to; if nobody watches a name any more,
 *       a little later. To wake it takes time that the thread which got its lock need not spend. Who then begins to watch
 *       wakes it.
 * </ul>
 *
 * <p>A release notifies only if the row says that somebody waits, so a lock that nobody waits for costs no notification
 * (they take turns across the whole database). A watch therefore marks the row, for a minute, and again before that is
 * over. A connection that breaks is opened again, and then everybody is woken, because nobody knows what was missed.
 */
final class PostgresListener implements AutoCloseable {
    private static final long LISTEN_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long RETRY_NANOS = 500_000_000;

    /** The own thread comes back at once, unless it is finding out that the database does not answer. */
    private static final long HAND_OVER_NANOS = 5_000_000;

    /** How often the own thread looks whether the one that hears in its place has left. */
    static final Duration LOOK = Duration.ofMillis(50);

    private final Ear.Source source;
    private final String channel;
    private final String location;
    private final long lookNanos;
    private final Map<String, Set<Watching>> watches = new ConcurrentHashMap<>();
    private final Map<String, Long> marked = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private @Nullable Thread thread;
    private boolean hearing;
    private volatile @Nullable Thread lent;
    private volatile boolean broken;
    private volatile @Nullable Ear ear;
    private volatile boolean listening;
    private volatile boolean closed;

    PostgresListener(Ear.Source source, String channel, String location, Duration look) {
        this.source = source;
        this.lookNanos = look.toNanos();
        this.channel = channel;
        this.location = location;
    }

    /** Whether notifications arrive at this moment. */
    boolean isListening() {
        return listening;
    }

    /**
     * Calls {@code wake} when the name was given back.
     *
     * @param mark notes in the row that somebody waits, if there is one
     */
    Watch watch(String name, Runnable wake, BooleanSupplier mark) {
        Watching watching = new Watching(name, wake);
        watches.computeIfAbsent(name, any -> ConcurrentHashMap.newKeySet()).add(watching);
        start();
        awaitListening();
        remark(name, mark);
        return watching;
    }

    /** Without a mark there is no hint: the engine polls, so that nothing worse follows from a failure here. */
    private void remark(String name, BooleanSupplier mark) {
        Long until = marked.get(name);
        if (until != null && System.nanoTime() - until < 0) {
            return;
        }
        try {
            if (mark.getAsBoolean()) {
                marked.put(name, System.nanoTime() + PostgresRows.markedFor().toNanos());
            }
        } catch (StoreUnavailableException e) {
            System.getLogger(PostgresListener.class.getName())
                    .log(System.Logger.Level.DEBUG, "a lock in {0} is polled for: {1}", location, e.getMessage());
        }
    }

    private void start() {
        lock.lock();
        try {
            if (thread == null && !closed) {
                Thread started = new Thread(this::run, "holdfast-listen");
                started.setDaemon(true);
                thread = started;
                started.start();
            } else if (lent == null && !hearing) {
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The first watch would otherwise miss what happens before the connection is there. */
    private void awaitListening() {
        if (listening) {
            return;
        }
        lock.lock();
        try {
            long left = Duration.ofSeconds(1).toNanos();
            while (!listening && !closed && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** See {@link io.holdfast.spi.LockStore#borrow}. */
    boolean borrow(WaitingThread waiting) {
        Ear shared = ear;
        if (!listening || shared == null || !shared.wakeable() || !enter(shared)) {
            return false;
        }
        waiting.wokenBy(shared::wake);
        try {
            while (waiting.waits()
                    && !Thread.currentThread().isInterrupted()
                    && !broken
                    && !closed
                    && !shared.quiet()) {
                long left = waiting.nanosLeft();
                if (left <= 0) {
                    break;
                }
                shared.hear(left).forEach(this::wake);
            }
        } catch (SQLException e) {
            broken = true;
            notListening(e);
        } finally {
            waiting.wokenBy(null);
            try {
                // At most a watch to close, which is quick here, and after which nobody may have to be woken.
                waiting.afterwards();
            } finally {
                leave();
            }
        }
        return true;
    }

    /** Takes the place of the own thread; false if another one has it. */
    private boolean enter(Ear shared) {
        lock.lock();
        try {
            if (lent != null || shared.quiet()) {
                return false;
            }
            lent = Thread.currentThread();
            long left = HAND_OVER_NANOS;
            while (hearing && listening && !closed && left > 0) {
                shared.wake();
                left = changed.awaitNanos(left);
            }
            if (!hearing && listening && !closed && ear == shared) {
                return true;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
        leave();
        return false;
    }

    private void leave() {
        lock.lock();
        try {
            lent = null;
            if (broken || closed || !watches.isEmpty()) {
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The own thread waits until nobody else hears, and then hears or not. */
    private boolean hears(boolean wanted) {
        boolean interrupted = false;
        lock.lock();
        try {
            hearing = false;
            changed.signalAll();
            while (lent != null && !closed) {
                try {
                    changed.awaitNanos(lookNanos);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            hearing = wanted && !closed && !broken;
            return hearing;
        } finally {
            lock.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The connection, for the thread that hears on it in place of the own one. */
    @Nullable
    Connection lentConnection() {
        Ear shared = ear;
        return lent == Thread.currentThread() && shared != null ? shared.connection() : null;
    }

    /** Something failed on the connection that was lent. */
    void broke() {
        broken = true;
    }

    private void run() {
        while (!closed) {
            try (Ear open = source.open()) {
                ear = open;
                listen(open);
            } catch (SQLException e) {
                if (!closed) {
                    notListening(e);
                }
            } finally {
                setListening(false);
                hears(false);
                ear = null;
            }
            pause();
        }
    }

    private void notListening(SQLException why) {
        System.getLogger(PostgresListener.class.getName())
                .log(System.Logger.Level.DEBUG, "not listening to {0}: {1}", location, why.getMessage());
    }

    private void listen(Ear open) throws SQLException {
        open.listen(channel);
        broken = false;
        setListening(true);
        watches.keySet().forEach(this::wake);
        while (hears(true)) {
            open.check();
            List<String> heard = open.hear(LISTEN_NANOS);
            if (heard.isEmpty()) {
                marked.values().removeIf(until -> System.nanoTime() - until > 0);
            } else {
                heard.forEach(this::wake);
            }
        }
    }

    private void wake(String name) {
        for (Watching watching : watches.getOrDefault(name, Set.of())) {
            watching.wake.run();
        }
    }

    private void setListening(boolean value) {
        lock.lock();
        try {
            listening = value;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void pause() {
        lock.lock();
        try {
            long left = RETRY_NANOS;
            while (!closed && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        Thread running;
        lock.lock();
        try {
            closed = true;
            running = thread;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        Ear open = ear;
        try {
            if (open != null) {
                open.abort();
            }
            if (running != null) {
                running.join(TimeUnit.SECONDS.toMillis(5));
            }
        } catch (SQLException e) {
            System.getLogger(PostgresListener.class.getName())
                    .log(System.Logger.Level.DEBUG, "closing a connection to {0}: {1}", location, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One watch. */
    private final class Watching implements Watch {
        private final String name;
        private final Runnable wake;

        Watching(String name, Runnable wake) {
            this.name = name;
            this.wake = wake;
        }

        @Override
        public void close() {
            watches.computeIfPresent(name, (any, all) -> {
                all.remove(this);
                return all.isEmpty() ? null : all;
            });
        }
    }
}
