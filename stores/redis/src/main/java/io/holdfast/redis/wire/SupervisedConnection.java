package io.holdfast.redis.wire;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.support.CallDeadlines;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is replaced when it breaks: at most one is in use at a time.
 *
 * <ul>
 *   <li>I1: a command is sent on one connection, once. When that connection breaks the call fails with an unknown
 *       outcome; no driver sends it again on the next one. (A script that was answered with TRYAGAIN was not executed.)
 *   <li>I2: without a connection a call fails at once and certainly had no effect.
 *   <li>I3: every call ends within its timeout. A connection on which a call timed out is given up if its last answer is
 *       older than two I/O timeouts: TCP itself would take a quarter of an hour to notice. So several calls may time out
 *       on a busy connection; on an idle one the first such call ends it.
 *   <li>I4: the listener is told {@code down} and {@code up} in turn, from the second {@code up} on (the first is {@link
 *       #open()} itself).
 *   <li>I5: an answer that is not the one to its request, and a failure that the server did not send, end the
 *       connection (U29).
 *   <li>I6: no connection is used before {@link ConnectionCheck} has found its servers fit, at a reconnect as at the
 *       start.
 * </ul>
 *
 * <p>The pause before a reconnect grows from 20 ms to 1 s. Each is drawn at random from its upper half, so that a
 * thousand clients do not return in one instant. Thread-safe.
 */
public final class SupervisedConnection implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.holdfast.redis");
    private static final long FIRST_PAUSE_MILLIS = 20;
    private static final long LONGEST_PAUSE_MILLIS = 1000;
    private static final long CLOSE_MILLIS = 500;
    private static final long SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LOGIN_SECONDS = 5;

    /** Is told when the server is out of reach and when it is back, on any thread. Must not block. */
    public interface Listener {
        /** The connection was lost. */
        void down();

        /** There is a connection again. */
        void up();
    }

    private final Connector connector;
    private final String where;
    private final long ioNanos;
    private final Listener listener;
    private final CallDeadlines<ScriptCall> underWay;
    private volatile @Nullable RedisConnection current;
    private final ConnectionCheck check;
    private volatile boolean closed;
    private volatile String trouble = "there is no connection at the moment";
    /** Ends the reports of a cluster's client about its connections. Guarded by this. */
    private @Nullable Runnable unwatch;
    /** Whether another connection is being opened. Guarded by this. */
    private boolean reconnecting;

    private volatile long heardAt = System.nanoTime();

    /** Not connected yet. */
    public SupervisedConnection(
            Connector connector, String where, Duration ioTimeout, ConnectionCheck check, Listener listener) {
        this.connector = connector;
        this.where = where;
        this.ioNanos = ioTimeout.toNanos();
        this.check = check;
        this.listener = listener;
        this.underWay = new CallDeadlines<>(
                System::nanoTime,
                (task, nanos) -> connector.timers().schedule(task, nanos, TimeUnit.NANOSECONDS),
                SWEEP_NANOS);
    }

    /**
     * Connects, and waits for it.
     *
     * @throws StoreUnavailableException if that fails or takes too long
     * @throws IllegalArgumentException if another address or login is needed: waiting would not help
     */
    public void open() {
        try {
            install(checked().get(LOGIN_SECONDS + TimeUnit.NANOSECONDS.toSeconds(ioNanos), TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            throw Failures.connecting(where, Failures.unwrapped(e));
        } catch (TimeoutException e) {
            throw Failures.connecting(where, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failures.connecting(where, e);
        }
    }

    /** Runs a script; the reply is a string. */
    public CompletableFuture<String> eval(LuaScript script, String[] keys, String[] args, long timeoutNanos) {
        return eval(script, keys, args, timeoutNanos, false);
    }

    /**
     * As {@link #eval(LuaScript, String[], String[], long)}. With {@code behind} the reply leaves the server after what
     * the script publishes. This costs one more command; in a cluster it has no effect.
     */
    public CompletableFuture<String> eval(
            LuaScript script, String[] keys, String[] args, long timeoutNanos, boolean behind) {
        ScriptCall call = new ScriptCall(
                this, script, keys, args, Math.min(timeoutNanos, ioNanos), behind && !connector.sharded());
        RedisConnection on = current;
        if (on == null) {
            reconnect();
            call.completeExceptionally(notConnected());
            return call;
        }
        // Sent first: scheduling the sweep may wake a thread, and the caller need not wait for that.
        call.send(on);
        underWay.add(call);
        if (current != on) {
            // It broke meanwhile, perhaps after the calls under way on it were ended: this one ends here (I1).
            call.endNow();
        }
        return call;
    }

    private void endCallsOn(RedisConnection dead) {
        underWay.forEach(call -> {
            if (call.sentOn(dead)) {
                call.endNow();
            }
        });
    }

    /**
     * Runs a script and then WAIT on the same connection (U18), so that its answer is about this write. Completes with
     * the script's reply and how many replicas have acknowledged it. The script gets half of the time and WAIT a
     * quarter, so that some is left to undo what too few have.
     */
    public CompletableFuture<Replicated> evalAndWait(
            LuaScript script, String[] keys, String[] args, int replicas, long timeoutNanos) {
        RedisConnection on = current;
        CompletableFuture<String> reply = eval(script, keys, args, Math.min(timeoutNanos, ioNanos) / 2);
        long patience = Math.max(1, TimeUnit.NANOSECONDS.toMillis(Math.min(timeoutNanos, ioNanos)) / 4);
        return reply.thenCompose(text -> {
            if (on == null || on != current) {
                return CompletableFuture.completedFuture(new Replicated(text, 0));
            }
            String tag = RequestTag.next();
            CompletableFuture<Long> acknowledged =
                    on.commands().waitForReplication(replicas, patience).toCompletableFuture();
            // U29: a number says nothing about its request; it counts if what follows it is in its place.
            CompletableFuture<String> next = on.commands().echo(tag).toCompletableFuture();
            return acknowledged
                    .thenCombine(next, (count, echo) -> {
                        if (!tag.equals(echo)) {
                            lost(on);
                        }
                        return new Replicated(text, tag.equals(echo) ? count.intValue() : 0);
                    })
                    .orTimeout(2 * patience, TimeUnit.MILLISECONDS)
                    .exceptionally(failure -> new Replicated(text, 0));
        });
    }

    /**
     * What a script replied, and how many replicas have it.
     *
     * @param reply the reply
     * @param replicas how many replicas have acknowledged the write
     */
    public record Replicated(String reply, int replicas) {}

    /** Any other command, with the same failures and the I/O timeout. */
    public <T> CompletableFuture<T> call(Function<RedisClusterAsyncCommands<String, String>, RedisFuture<T>> verb) {
        RedisConnection on = current;
        if (on == null) {
            reconnect();
            return CompletableFuture.failedFuture(notConnected());
        }
        return verb.apply(on.commands())
                .toCompletableFuture()
                .copy()
                .orTimeout(ioNanos, TimeUnit.NANOSECONDS)
                .handle((value, failure) -> {
                    if (failure != null) {
                        Throwable cause = Failures.unwrapped(failure);
                        if (!(cause instanceof TimeoutException)) {
                            outOfStepIf(on, cause);
                        }
                        throw Failures.of(where, cause);
                    }
                    heard();
                    return value;
                });
    }

    /** Whether there is a connection now. */
    public boolean connected() {
        return current != null;
    }

    /** Whether keys live on several nodes, so that one call touches one hash tag only. */
    public boolean sharded() {
        return connector.sharded();
    }

    /** The deployment, for messages. */
    public String where() {
        return where;
    }

    @Override
    public void close() {
        RedisConnection last;
        synchronized (this) {
            closed = true;
            last = current;
            current = null;
            if (unwatch != null) {
                unwatch.run();
                unwatch = null;
            }
        }
        if (last != null) {
            endCallsOn(last);
            last.driver()
                    .closeAsync()
                    .completeOnTimeout(null, CLOSE_MILLIS, TimeUnit.MILLISECONDS)
                    .join();
        }
    }

    @Nullable
    RedisConnection current() {
        return current;
    }

    ScheduledExecutorService timers() {
        return connector.timers();
    }

    void heard() {
        heardAt = System.nanoTime();
    }

    /** A call on this connection timed out. */
    void unanswered(RedisConnection on, long now) {
        if (now - heardAt > 2 * ioNanos) {
            lost(on);
        }
    }

    /** Closes a connection that is of no more use; the calls under way on it fail, and another one is opened. */
    void lost(RedisConnection dead) {
        boolean first;
        synchronized (this) {
            first = current == dead && !closed;
            if (first) {
                current = null;
            }
        }
        try {
            if (first || dead.driver().isOpen()) {
                dead.driver().closeAsync();
            }
        } finally { // L13: whatever a driver or a listener throws, the calls end and another connection is opened
            if (first) {
                try {
                    listener.down();
                } finally {
                    try {
                        endCallsOn(dead);
                    } finally {
                        reconnect();
                    }
                }
            }
        }
    }

    /** A command on this connection failed. The connection ends unless the server itself sent the failure (U29). */
    void outOfStepIf(RedisConnection on, @Nullable Throwable failure) {
        if (failure != null && Failures.outOfStep(Failures.unwrapped(failure), connector.sharded())) {
            lost(on);
        }
    }

    /** A new connection whose servers are fit for locks. */
    private CompletableFuture<RedisConnection> checked() {
        CompletableFuture<RedisConnection> connected;
        try {
            connected = connector.connect().toCompletableFuture();
        } catch (Throwable e) { // L13: it is tried again, whatever it was
            connected = CompletableFuture.failedFuture(e);
        }
        return connected.thenCompose(fresh -> {
            CompletableFuture<RedisConnection> fit = check.of(fresh)
                    .toCompletableFuture()
                    .thenApply(done -> fresh)
                    .orTimeout(ioNanos + TimeUnit.SECONDS.toNanos(1), TimeUnit.NANOSECONDS);
            fit.whenComplete((done, failure) -> {
                if (failure != null) {
                    fresh.driver().closeAsync();
                }
            });
            return fit;
        });
    }

    private void install(RedisConnection fresh) {
        boolean late;
        synchronized (this) {
            // Two attempts are possible after an error between the scheduling of an attempt and the flag for it.
            late = closed || current != null;
            if (!late && connector.sharded() && unwatch == null) {
                // One listener is enough: the client reports all its connections to it.
                unwatch = connector.watch(new NodeConnections(listener));
            }
            current = closed ? null : late ? current : fresh;
            reconnecting = false;
            heard();
        }
        if (late) {
            fresh.driver().closeAsync();
        } else if (!connector.sharded()) {
            fresh.driver().addListener(new RedisConnectionStateListener() {
                @Override
                public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
                    lost(fresh);
                }
            });
            if (!fresh.driver().isOpen()) {
                lost(fresh);
            }
        }
    }

    /**
     * Opens another connection, unless there is one or one is being opened. Every call without a connection comes here
     * as well: when the stack of a user's thread overflows even a {@code finally} fails, and then {@link #lost} has not
     * done it (L13).
     */
    private void reconnect() {
        synchronized (this) {
            if (closed || current != null || reconnecting) {
                return;
            }
            connectAfter(FIRST_PAUSE_MILLIS);
        }
    }

    private void connectAfter(long pauseMillis) {
        // Fields are set without a call, so that an exhausted stack cannot leave them wrong.
        synchronized (this) {
            reconnecting = false;
            try {
                long pause = pauseMillis / 2 + ThreadLocalRandom.current().nextLong(pauseMillis / 2 + 1);
                connector.timers().schedule(() -> connect(pauseMillis), pause, TimeUnit.MILLISECONDS);
                reconnecting = true;
            } catch (RejectedExecutionException closing) {
                close();
            }
        }
    }

    private synchronized void notReconnecting() {
        reconnecting = false;
    }

    private void connect(long pauseMillis) {
        if (closed) {
            return;
        }
        checked().whenComplete((fresh, failure) -> {
            if (failure == null) {
                installed(fresh);
            } else if (!closed) {
                try {
                    trouble(Failures.connecting(where, Failures.unwrapped(failure)));
                } finally {
                    connectAfter(Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS));
                }
            }
        });
    }

    private void installed(RedisConnection fresh) {
        try {
            install(fresh);
        } catch (Throwable e) { // L13
            notReconnecting();
            lost(fresh);
            reconnect();
            throw e;
        }
        if (!closed) {
            listener.up();
        }
    }

    /** Remembers why there is no connection. A reason that only an operator can change is logged, once. */
    private void trouble(RuntimeException why) {
        String text = String.valueOf(why.getMessage());
        if (why instanceof IllegalArgumentException && !text.equals(trouble)) {
            LOG.log(System.Logger.Level.WARNING, "not used: " + text);
        }
        trouble = text;
    }

    private StoreUnavailableException notConnected() {
        String why = trouble;
        return new StoreUnavailableException(
                closed ? where + " is closed" : why.startsWith(where) ? why : where + " cannot be reached: " + why,
                false,
                null);
    }
}
