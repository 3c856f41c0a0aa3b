package io.holdfast.redis.wire;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One channel on a connection of its own, opened when it is first needed and again whenever it breaks. Messages may be
 * lost while it is down; {@code ready} runs each time it is (again) subscribed, so that the subscriber can ask what it
 * missed. Thread-safe.
 *
 * <p>A subscription only listens, so it does not notice that its connection is half open: {@link #verify()} asks, when
 * there is a reason to.
 */
public final class Subscription implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.holdfast.redis");
    private static final long FIRST_PAUSE_MILLIS = 20;
    private static final long LONGEST_PAUSE_MILLIS = 1000;
    private static final long CLOSE_MILLIS = 500;
    private static final long ANSWER_SECONDS = 5;
    private static final long VERIFY_SECONDS = 2;

    private final Connector connector;
    private final String channel;
    private final Consumer<String> messages;
    private final Runnable ready;
    private @Nullable StatefulRedisPubSubConnection<String, String> current;
    private boolean started;
    private boolean subscribed;
    private boolean verifying;
    private boolean closed;

    /** A subscription that is not opened yet. */
    public Subscription(Connector connector, String channel, Consumer<String> messages, Runnable ready) {
        this.connector = connector;
        this.channel = channel;
        this.messages = messages;
        this.ready = ready;
    }

    /** Opens it, unless that was done before. Does not wait. */
    public void start() {
        synchronized (this) {
            if (started || closed) {
                return;
            }
            started = true;
        }
        connect(FIRST_PAUSE_MILLIS);
    }

    /**
     * Subscribes once more on the present connection, which changes nothing at the server; a connection that does not
     * answer within two seconds is replaced. Does not wait.
     */
    public void verify() {
        StatefulRedisPubSubConnection<String, String> asked;
        synchronized (this) {
            asked = current;
            if (asked == null || verifying || !subscribed) {
                return;
            }
            verifying = true;
        }
        asking(asked, VERIFY_SECONDS, failure -> {
            synchronized (this) {
                verifying = false;
            }
            if (failure != null) {
                dropped(asked, FIRST_PAUSE_MILLIS);
            }
        });
    }

    @Override
    public void close() {
        StatefulRedisPubSubConnection<String, String> last;
        synchronized (this) {
            closed = true;
            last = current;
            current = null;
        }
        if (last != null) {
            last.closeAsync()
                    .completeOnTimeout(null, CLOSE_MILLIS, TimeUnit.MILLISECONDS)
                    .join();
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private void connect(long pauseMillis) {
        if (isClosed()) {
            return;
        }
        CompletionStage<StatefulRedisPubSubConnection<String, String>> attempt;
        try {
            attempt = connector.connectPubSub();
        } catch (Throwable e) { // L13: it is tried again, whatever it was
            attempt = CompletableFuture.failedFuture(e);
        }
        attempt.whenComplete((connection, failure) -> {
            if (failure != null) {
                connectAfter(pauseMillis);
            } else {
                subscribe(connection, pauseMillis);
            }
        });
    }

    private void subscribe(StatefulRedisPubSubConnection<String, String> connection, long pauseMillis) {
        boolean needless;
        synchronized (this) {
            needless = closed;
            current = closed ? null : connection;
            subscribed = false;
        }
        if (needless) {
            connection.closeAsync();
            return;
        }
        connection.addListener(new RedisPubSubAdapter<String, String>() {
            @Override
            public void message(String from, String text) {
                try {
                    messages.accept(text);
                } catch (Throwable e) { // L13: the driver would ignore it and go on
                    LOG.log(System.Logger.Level.WARNING, "a message on " + channel + " could not be read", e);
                    dropped(connection, FIRST_PAUSE_MILLIS);
                }
            }
        });
        connection.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
                dropped(connection, FIRST_PAUSE_MILLIS);
            }
        });
        asking(connection, ANSWER_SECONDS, failure -> {
            if (failure != null) {
                dropped(connection, 2 * pauseMillis);
                return;
            }
            synchronized (this) {
                subscribed = current == connection;
            }
            ready.run();
        });
    }

    private void asking(
            StatefulRedisPubSubConnection<String, String> connection,
            long seconds,
            Consumer<@Nullable Throwable> answered) {
        CompletableFuture<Void> answer;
        try {
            answer = connection.async().subscribe(channel).toCompletableFuture().copy();
        } catch (Throwable e) { // L13
            answer = CompletableFuture.failedFuture(e);
        }
        answer.orTimeout(seconds, TimeUnit.SECONDS).whenComplete((done, failure) -> answered.accept(failure));
    }

    private void dropped(StatefulRedisPubSubConnection<String, String> connection, long pauseMillis) {
        synchronized (this) {
            if (current != connection) {
                return;
            }
            current = null;
            subscribed = false;
        }
        connection.closeAsync();
        connectAfter(pauseMillis);
    }

    private void connectAfter(long pauseMillis) {
        if (isClosed()) {
            return;
        }
        long longest = Math.min(pauseMillis, LONGEST_PAUSE_MILLIS);
        long pause = longest / 2 + ThreadLocalRandom.current().nextLong(longest / 2 + 1);
        try {
            connector.timers().schedule(() -> connect(2 * longest), pause, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closing) {
            close();
        }
    }
}
