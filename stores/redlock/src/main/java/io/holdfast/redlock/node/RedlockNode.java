package io.holdfast.redlock.node;

import io.holdfast.StoreUnavailableException;
import io.holdfast.redlock.config.DeploymentSettings;
import io.holdfast.redlock.config.RedlockConfig;
import io.holdfast.spi.support.CallDeadlines;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One of the independent servers, over one connection at a time.
 *
 * <ul>
 *   <li>I1: the run id that a script is sent with was read on the connection that carries it, before anything else
 *       (U9): both are one {@link Link}. A server that restarted has other connections.
 *   <li>I2: a command is sent on one connection, once. Lettuce neither reconnects nor replays here.
 *   <li>I3: a link is made only if the node keeps this client's settings, or none (U33); it is read before anything that
 *       may write is sent.
 *   <li>I4: an answer that is not the one to its request, and any failure that the server did not send, ends the link
 *       (U29).
 *   <li>I5: without a link a call fails at once and had no effect; a server that said nothing for a second while calls
 *       timed out loses its link, so that later calls need not wait for it.
 * </ul>
 */
public final class RedlockNode implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.holdfast.redlock");
    private static final long FIRST_PAUSE_MILLIS = 20;
    private static final long LONGEST_PAUSE_MILLIS = 500;
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A connection and the run id that was read on it. Compared by identity. */
    private static final class Link {
        final StatefulRedisConnection<String, String> connection;
        final String runId;

        Link(StatefulRedisConnection<String, String> connection, String runId) {
            this.connection = connection;
            this.runId = runId;
        }
    }

    private final RedisClient client;
    private final RedisURI uri;
    private final String address;
    private final RunIds runIds;
    private final CallDeadlines<NodeCall> underWay;
    private final Runnable changed;
    private final NodeTrust trust;
    private final DeploymentSettings settings;
    private volatile @Nullable Link link;
    private volatile String trouble = "not connected yet";
    private volatile @Nullable IllegalArgumentException unfit;
    private volatile boolean closed;
    /** Whether another link is being made. Guarded by this. */
    private boolean connecting;

    private volatile long heardAt = System.nanoTime();

    RedlockNode(
            RedisClient client,
            RedisURI uri,
            RedlockConfig config,
            RunIds runIds,
            CallDeadlines<NodeCall> underWay,
            Runnable changed) {
        this.client = client;
        this.uri = uri;
        this.address = uri.getHost() + ":" + uri.getPort();
        this.runIds = runIds;
        this.underWay = underWay;
        this.changed = changed;
        this.trust = new NodeTrust(config.quarantineTime().toNanos());
        this.settings = DeploymentSettings.of(config);
    }

    public String address() {
        return address;
    }

    public NodeTrust trust() {
        return trust;
    }

    boolean connected() {
        return link != null;
    }

    String trouble() {
        return trouble;
    }

    /** Why this server can never be a node, if so. */
    @Nullable
    IllegalArgumentException unfit() {
        return unfit;
    }

    /** Connects; completes when that has succeeded or failed. It is tried again in the background until it succeeds. */
    CompletableFuture<Void> connect() {
        synchronized (this) {
            connecting = true;
        }
        return connect(FIRST_PAUSE_MILLIS);
    }

    /** Runs a script. */
    public CompletableFuture<Reply> eval(NodeRequest request) {
        Link on = link;
        if (on == null) {
            reconnect();
            return CompletableFuture.failedFuture(
                    new StoreUnavailableException(address + " cannot be reached: " + trouble, false, null));
        }
        NodeCall call = new NodeCall(
                request.tag(),
                request.timeoutNanos(),
                () -> on.connection
                        .async()
                        .eval(request.source(), ScriptOutputType.VALUE, request.keys(), request.allArgs(on.runId)),
                () -> heardAt = System.nanoTime(),
                cause -> failed(on, cause, request.timeoutNanos()));
        try {
            AsyncCommand<String, String, String> sent = new AsyncCommand<>(new Command<>(
                    CommandType.EVALSHA, new ValueOutput<>(StringCodec.UTF8), request.encodedFor(on.runId)));
            on.connection.dispatch(sent);
            sent.whenComplete(call);
            underWay.add(call);
        } catch (Throwable e) { // L13; half of it may have been written
            call.completeExceptionally(failed(on, e, request.timeoutNanos()));
        }
        return call;
    }

    /** Any other command, on the present connection. */
    public <T> CompletableFuture<T> call(
            Function<RedisAsyncCommands<String, String>, RedisFuture<T>> command, long timeoutNanos) {
        Link on = link;
        return on == null
                ? CompletableFuture.failedFuture(
                        new StoreUnavailableException(address + " cannot be reached: " + trouble, false, null))
                : command.apply(on.connection.async())
                        .toCompletableFuture()
                        .copy()
                        .orTimeout(timeoutNanos, TimeUnit.NANOSECONDS)
                        .whenComplete((done, failure) -> {
                            if (failure != null) {
                                failed(on, unwrapped(failure), timeoutNanos);
                            }
                        });
    }

    /** Closes its connection, of a client that stays open. */
    void disconnect() {
        Link last = link;
        close();
        if (last != null) {
            last.connection.closeAsync();
        }
    }

    /** Sends nothing any more, and does not connect again. */
    @Override
    public void close() {
        closed = true;
        synchronized (this) {
            link = null; // the client closes the connection
            trouble = "the store is closed";
        }
    }

    private StoreUnavailableException failed(Link on, Throwable cause, long timeoutNanos) {
        if (cause instanceof TimeoutException) {
            if (System.nanoTime() - heardAt > SILENCE_NANOS) {
                lost(on, "it does not answer");
            }
            return new StoreUnavailableException(
                    address + " did not answer within " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms",
                    true,
                    cause);
        }
        if (!(cause instanceof RedisCommandExecutionException)) {
            // Not what the server said, so what comes next on this connection may answer something else (U29).
            lost(on, "the connection failed: " + cause);
        }
        return new StoreUnavailableException(address + ": " + String.valueOf(cause.getMessage()), true, cause);
    }

    private CompletableFuture<Void> connect(long pauseMillis) {
        if (closed) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<StatefulRedisConnection<String, String>> fresh;
        try {
            fresh = client.connectAsync(StringCodec.UTF8, uri).toCompletableFuture();
        } catch (Throwable e) { // L13: it is tried again, whatever it was
            fresh = CompletableFuture.failedFuture(e);
        }
        return fresh.thenCompose(this::introduced).handle((done, failure) -> {
            if (failure != null && !closed) {
                trouble = rootMessage(failure);
                reconnectAfter(pauseMillis);
            }
            return null;
        });
    }

    /** Reads the run id of the server and the settings that it keeps, before anything else is sent (I1, I3). */
    private CompletionStage<Void> introduced(StatefulRedisConnection<String, String> connection) {
        CompletableFuture<String> info = connection.async().info().toCompletableFuture();
        CompletableFuture<List<KeyValue<String, String>>> kept = connection
                .async()
                .hmget(NodeKeys.NODE, DeploymentSettings.fields())
                .toCompletableFuture();
        return info.thenCombine(kept, (text, fields) -> {
                    install(connection, text, kept(fields));
                    return fields;
                })
                .orTimeout(uri.getTimeout().toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        connection.closeAsync();
                    }
                })
                .thenAccept(done -> {});
    }

    private static DeploymentSettings kept(List<KeyValue<String, String>> fields) {
        return new DeploymentSettings(
                fields.get(0).getValueOrElse(null),
                fields.get(1).getValueOrElse(null),
                fields.get(2).getValueOrElse(null));
    }

    private void install(StatefulRedisConnection<String, String> connection, String infoText, DeploymentSettings kept) {
        Map<String, String> info = new HashMap<>();
        infoText.lines()
                .filter(line -> line.indexOf(':') > 0)
                .forEach(line -> info.put(line.substring(0, line.indexOf(':')), line.substring(line.indexOf(':') + 1)));
        String runId = info.getOrDefault("run_id", "");
        try {
            NodeFitness.check(address, info);
            String conflict = settings.conflictWith(kept);
            if (!conflict.isEmpty()) {
                throw new IllegalArgumentException(address + ' ' + conflict
                        + ": all clients of a deployment have the same; change this client's URL, or the nodes"
                        + " (docs/stores/redlock.md)");
            }
            runIds.claim(runId, address);
        } catch (IllegalArgumentException e) {
            IllegalArgumentException before = unfit;
            if (before == null || !String.valueOf(e.getMessage()).equals(before.getMessage())) {
                LOG.log(System.Logger.Level.WARNING, "not used as a node: " + e.getMessage());
            }
            unfit = e;
            throw e;
        }
        unfit = null;
        Link fresh = new Link(connection, runId);
        heardAt = System.nanoTime();
        synchronized (this) {
            link = fresh;
            connecting = false;
        }
        connection.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> gone) {
                lost(fresh, "the connection broke");
            }
        });
        if (!connection.isOpen()) {
            lost(fresh, "the connection broke");
        } else if (closed) {
            connection.closeAsync();
        }
        changed.run();
    }

    private void lost(Link dead, String why) {
        synchronized (this) {
            if (link != dead) {
                return;
            }
            link = null;
            trouble = why;
        }
        try {
            if (dead.connection.isOpen()) {
                dead.connection.closeAsync();
            }
        } finally { // L13: whatever a driver or a listener throws, another link is made
            try {
                changed.run();
            } finally {
                reconnect();
            }
        }
    }

    /**
     * Makes another link, unless there is one or one is being made. Every call without a link comes here as well: when
     * the stack of a user's thread overflows even a {@code finally} fails, and then {@link #lost} has not done it (L13).
     */
    private void reconnect() {
        synchronized (this) {
            if (closed || link != null || connecting) {
                return;
            }
            reconnectAfter(FIRST_PAUSE_MILLIS);
        }
    }

    private void reconnectAfter(long pauseMillis) {
        // Fields are set without a call, so that an exhausted stack cannot leave them wrong.
        synchronized (this) {
            connecting = false;
            try {
                long pause = pauseMillis / 2 + ThreadLocalRandom.current().nextLong(pauseMillis / 2 + 1);
                long next = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
                client.getResources().eventExecutorGroup().schedule(() -> connect(next), pause, TimeUnit.MILLISECONDS);
                connecting = true;
            } catch (RejectedExecutionException closing) {
                closed = true;
            }
        }
    }

    private static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private static String rootMessage(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage());
    }
}
