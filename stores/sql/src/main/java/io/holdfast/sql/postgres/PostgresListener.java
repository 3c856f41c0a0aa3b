package io.holdfast.sql.postgres;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.WatchableStore.Watch;
import io.holdfast.sql.connection.Callbacks;
import io.holdfast.sql.connection.ConnectionSource;
import io.holdfast.sql.connection.LentConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
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
 * Listens for names that were released, on one connection and one thread of its own. The first watch starts both.
 *
 * <p>A release notifies only if the row is marked as waited for. So a lock that is not contended costs no notification
 * (PostgreSQL sends them one after the other for the whole database). A watch therefore marks the row for a minute, and
 * again before that is over. A connection that breaks is opened again, and then all watches are woken, because
 * notifications may have been missed.
 */
final class PostgresListener implements AutoCloseable {
    private static final int CHECK_MILLIS = 5_000;

    /** A connection of the application is not aborted to end a wait on it. So waits on it are short. */
    private static final int BORROWED_MILLIS = 250;

    private static final long RETRY_NANOS = 500_000_000;

    private final ConnectionSource source;
    private final String channel;
    private final String location;
    private final boolean borrowed;
    private final Map<String, Set<Watching>> watches = new ConcurrentHashMap<>();
    private final Map<String, Long> marked = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private @Nullable Thread thread;
    private volatile @Nullable Connection connection;
    private volatile boolean listening;
    private volatile boolean closed;

    /**
     * Over a connection of its own.
     *
     * @param borrowed whether the connection is the application's, and is returned to it in the state in which it came
     */
    PostgresListener(ConnectionSource source, String channel, String location, boolean borrowed) {
        this.source = source;
        this.channel = channel;
        this.location = location;
        this.borrowed = borrowed;
    }

    /** Whether notifications arrive at this moment. */
    boolean isListening() {
        return listening;
    }

    /**
     * Calls {@code wake} when the name was released.
     *
     * @param mark marks the row as waited for; false if there is no row
     */
    Watch watch(String name, Runnable wake, BooleanSupplier mark) {
        Watching watching = new Watching(name, wake);
        watches.computeIfAbsent(name, any -> ConcurrentHashMap.newKeySet()).add(watching);
        start();
        awaitListening();
        remark(name, mark);
        return watching;
    }

    /** Without a mark there is no notification, and the engine polls: a failure here costs no more than that. */
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
                started.start();
                thread = started;
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

    private void run() {
        while (!closed) {
            try (LentConnection lent = new LentConnection(source.open())) {
                connection = lent.connection();
                listen(lent.connection());
            } catch (Throwable e) { // whatever the driver throws, another connection is tried (L13)
                if (!closed) {
                    System.getLogger(PostgresListener.class.getName())
                            .log(System.Logger.Level.DEBUG, "not listening to {0}: {1}", location, e.getMessage());
                }
            } finally {
                setListening(false);
                connection = null;
            }
            pause();
        }
    }

    private void listen(Connection open) throws SQLException {
        try (Statement statement = open.createStatement()) {
            statement.execute("LISTEN \"" + channel + "\"");
        }
        try {
            setListening(true);
            watches.keySet().forEach(this::wake);
            receive(open);
        } finally {
            if (borrowed && !open.isClosed()) {
                try (Statement statement = open.createStatement()) {
                    statement.execute("UNLISTEN \"" + channel + "\"");
                }
            }
        }
    }

    private void receive(Connection open) throws SQLException {
        PostgresNotifications notifications = PostgresNotifications.of(open);
        long checked = System.nanoTime();
        while (!closed) {
            List<String> received = notifications.await(borrowed ? BORROWED_MILLIS : CHECK_MILLIS);
            if (!received.isEmpty()) {
                received.forEach(this::wake);
            } else if (System.nanoTime() - checked >= TimeUnit.MILLISECONDS.toNanos(CHECK_MILLIS)) {
                marked.values().removeIf(until -> System.nanoTime() - until > 0);
                if (!open.isValid(2)) {
                    return;
                }
                checked = System.nanoTime();
            }
        }
    }

    private void wake(String name) {
        for (Watching watching : watches.getOrDefault(name, Set.of())) {
            Callbacks.run(watching.wake);
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
        Connection open = connection;
        try {
            if (open != null && !borrowed) {
                open.abort(Runnable::run);
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
