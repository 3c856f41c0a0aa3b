package io.holdfast.sql;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.WatchableStore.Watch;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Waits for locks of sessions where the database itself makes others wait: in its own queue, on a connection of the
 * pool, with a thread. A client stands there at most once for a name, because its threads queue inside it, and for half
 * of its connections at most, so that waiting never keeps it from holding; whoever finds no place is woken to ask again
 * after a pause.
 *
 * <pre>
 *   WAITING ──the database gave it the lock──▶ IN_HAND ──taken by the claim that was woken──▶ OVER
 *      │                                          └─nobody took it, nobody watches─▶ FREEING ──▶ OVER
 *      └─nobody watches, an error─▶ OVER
 * </pre>
 *
 * <ul>
 *   <li>I1: every field of a line is guarded by {@code lock}; statements run outside of it.
 *   <li>I2: a connection has one owner: the line's thread, or whoever took it while it was IN_HAND.
 *   <li>I3: a lock in hand is no grant: nobody was told of it, no token was drawn. The server ends the session if it
 *       stays silent for {@link SessionLocks#IN_HAND}, so that a client that stops here is no dead waiter for long.
 * </ul>
 *
 * <p>A wait is cut into slices that are shorter than the I/O timeout: a connection on which nothing answers is noticed
 * as everywhere else. The price is the place in the queue, once per slice.
 */
final class SessionLines implements AutoCloseable {
    private static final long TAKE_WITHIN = Duration.ofSeconds(1).toNanos();

    /** Databases that count whole seconds wait for one at least. */
    private static final Duration SLICE_ROUNDED_UP = Duration.ofSeconds(1);

    private static final int LEAVE_TRIES = 3;
    private static final long AFTER_FAILURE = Duration.ofSeconds(1).toNanos();

    private enum State {
        WAITING,
        IN_HAND,
        FREEING,
        OVER
    }

    /** A connection that has the lock, for the claim that asks next. */
    record InHand(Connection connection, long session) {}

    private final SessionLocks locks;
    private final SessionPool pool;
    private final SqlSessions others;
    private final SqlConfig config;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<String, Line> lines = new HashMap<>();
    private final Map<String, List<Watching>> watches = new HashMap<>();
    private final Map<String, Long> notBefore = new HashMap<>();
    private @Nullable StoreContext context;
    private boolean closed;

    /** Whether anybody waits: a lock that nobody waits for costs one look here. */
    private volatile boolean busy;

    SessionLines(SessionLocks locks, SessionPool pool, SqlSessions others, SqlConfig config) {
        this.locks = locks;
        this.pool = pool;
        this.others = others;
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
            stand(name);
        } finally {
            lock.unlock();
        }
        return watching;
    }

    /** The lock, if this client's line has it in hand: it is the caller's now. */
    @Nullable
    InHand take(String name, long budgetNanos) {
        if (!busy) {
            return null;
        }
        Line stale = stale(name);
        if (stale != null) {
            stale.patience.end();
        }
        lock.lock();
        try {
            Line line = awaitLeft(name, budgetNanos);
            return line != null && line.state == State.IN_HAND ? line.taken() : null;
        } finally {
            lock.unlock();
        }
    }

    /** A line that waits though nobody wants it any more: it would be in the way of whoever asks the database. */
    private @Nullable Line stale(String name) {
        lock.lock();
        try {
            Line line = lines.get(name);
            boolean stale = line != null && line.state == State.WAITING && !watches.containsKey(name);
            if (line == null || !stale) {
                return null;
            }
            line.cancelled = true;
            return line;
        } finally {
            lock.unlock();
        }
    }

    /** Under the lock: waits while a line is on its way out, which may begin at any moment; the one that is there then. */
    private @Nullable Line awaitLeft(String name, long nanos) {
        long left = nanos;
        Line line = lines.get(name);
        try {
            while (line != null && line.isLeaving() && left > 0) {
                left = changed.awaitNanos(left);
                line = lines.get(name);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return line;
    }

    /** Whether this client stands in the database's queue for this name, or has it in hand. */
    boolean standsFor(String name) {
        if (!busy) {
            return false;
        }
        lock.lock();
        try {
            return watches.containsKey(name) && lines.containsKey(name);
        } finally {
            lock.unlock();
        }
    }

    /** A claim was refused: whoever watches gets a place in the queue if there is one, else is woken after a pause. */
    boolean refused(String name) {
        StoreContext given;
        lock.lock();
        try {
            if (!watches.containsKey(name) || closed) {
                return false;
            }
            if (stand(name)) {
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

    /** Under the lock: whether somebody stands in line. */
    private boolean stand(String name) {
        if (lines.containsKey(name)) {
            return true;
        }
        Long since = notBefore.get(name);
        boolean tooSoon = since != null && System.nanoTime() - since < 0;
        if (closed || tooSoon || lines.size() >= config.poolSize() / 2) {
            return false;
        }
        Line line = new Line(name);
        line.start(); // if there is no thread for it, there is no line
        lines.put(name, line);
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
        all.forEach(watching -> PostgresListener.wakeQuietly(watching.wake));
    }

    @Override
    public void close() {
        List<Line> all;
        lock.lock();
        try {
            closed = true;
            watches.clear();
            all = List.copyOf(lines.values());
            all.forEach(line -> line.cancelled = true);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        all.forEach(line -> line.patience.end());
        all.forEach(Line::join);
    }

    /** One watch. */
    private final class Watching implements Watch {
        private final String name;
        private final Runnable wake;

        Watching(String name, Runnable wake) {
            this.name = name;
            this.wake = wake;
        }

        /** Without I/O: a line that nobody wants leaves by itself, at the end of its slice. */
        @Override
        public void close() {
            lock.lock();
            try {
                watches.computeIfPresent(name, (any, all) -> {
                    all.remove(this);
                    return all.isEmpty() ? null : all;
                });
                busy = !watches.isEmpty() || !lines.isEmpty();
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** This client's place in the database's queue for one name. */
    private final class Line implements Runnable {
        private final String name;
        private final Thread thread;
        private final SessionLocks.Patience patience;
        private State state = State.WAITING;
        private @Nullable InHand hand;
        private boolean cancelled;

        Line(String name) {
            this.name = name;
            this.patience = new SessionLocks.Patience(config.ioTimeout().dividedBy(2));
            this.thread = new Thread(this, "holdfast-wait");
            thread.setDaemon(true);
        }

        void start() {
            thread.start();
        }

        @Override
        public void run() {
            Connection connection = null;
            boolean handedOver = false;
            boolean healthy = false;
            try {
                connection = pool.take(0);
                Turns.bound(
                        connection, config.ioTimeout().plus(SLICE_ROUNDED_UP).toNanos());
                InHand got = null;
                while (got == null && isWanted()) {
                    long session = locks.await(connection, name, patience, others);
                    got = session == 0 ? null : new InHand(connection, session);
                }
                handedOver = got != null && offer(got);
                if (!handedOver) {
                    locks.free(connection);
                }
                healthy = true;
            } catch (SQLException | StoreUnavailableException e) {
                System.getLogger(SessionLines.class.getName())
                        .log(System.Logger.Level.DEBUG, "a lock is polled for: {0}", e.getMessage());
                if (connection != null && patience.isEnded()) {
                    leave(connection);
                }
            } finally {
                if (!handedOver) {
                    end(connection, healthy);
                }
            }
        }

        /**
         * Whatever the cancel met, the session holds nothing when this returns: a lock that it was given in the same
         * moment would else be there until the server has noticed the end of the connection. A cancel that came late
         * may have met this very statement.
         */
        private void leave(Connection connection) {
            for (int tries = 0; tries < LEAVE_TRIES; tries++) {
                try {
                    locks.free(connection);
                    return;
                } catch (SQLException e) {
                    System.getLogger(SessionLines.class.getName())
                            .log(System.Logger.Level.DEBUG, "a place in line is left: {0}", e.getMessage());
                }
            }
        }

        private boolean isWanted() {
            lock.lock();
            try {
                return !cancelled && watches.containsKey(name);
            } finally {
                lock.unlock();
            }
        }

        /** Whether somebody took it. */
        private boolean offer(InHand got) {
            lock.lock();
            try {
                hand = got;
                state = State.IN_HAND;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            wake(name);
            lock.lock();
            try {
                awaitTaken();
                boolean taken = hand == null;
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
                while (hand != null && !cancelled && watches.containsKey(name) && left > 0) {
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

        /** Under the lock, in hand: the connection is the caller's now. */
        InHand taken() {
            InHand given = Objects.requireNonNull(hand);
            hand = null;
            state = State.OVER;
            lines.remove(name, this);
            changed.signalAll();
            return given;
        }

        private void end(@Nullable Connection connection, boolean healthy) {
            if (connection != null) {
                // A cancel that arrives late would hit the next statement on this connection.
                if (healthy && !patience.isEnded()) {
                    pool.giveBack(connection);
                } else {
                    pool.discard(connection);
                }
            }
            boolean wanted;
            lock.lock();
            try {
                state = State.OVER;
                lines.remove(name, this);
                busy = !watches.isEmpty() || !lines.isEmpty();
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

        void join() {
            try {
                thread.join(TimeUnit.SECONDS.toMillis(5));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
