package io.holdfast.redis.wire;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.support.CallDeadlines;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One script call under way. It is sent by digest, with the source if the server does not know the script, and again if
 * the server answers that keys are being moved. The call is its own future and callback, because there is one for every
 * acquire and every release.
 *
 * <p>U29: an answer counts only if it begins with the tag of this request. After any other answer, and after a failure
 * that the server did not send, the stream may be out of step: the outcome is unknown and the connection ends.
 */
final class ScriptCall extends CompletableFuture<String>
        implements BiConsumer<@Nullable String, @Nullable Throwable>, CallDeadlines.Call {
    private static final long AGAIN_MILLIS = 10;

    private final SupervisedConnection supervisor;
    private final LuaScript script;
    private final String[] keys;
    private final String[] args;
    private final long deadline;
    private final long timeout;
    private final boolean behind;
    private final String tag = RequestTag.next();
    private volatile @Nullable RedisConnection connection;

    /**
     * @param timeout in ns
     * @param behind whether the reply should leave the server after what the script publishes
     */
    ScriptCall(
            SupervisedConnection supervisor,
            LuaScript script,
            String[] keys,
            String[] args,
            long timeout,
            boolean behind) {
        this.supervisor = supervisor;
        this.script = script;
        this.keys = keys;
        this.args = args;
        this.timeout = timeout;
        this.deadline = System.nanoTime() + timeout;
        this.behind = behind;
    }

    void send(RedisConnection on) {
        connection = on;
        StringCodec codec = StringCodec.UTF8;
        try {
            AsyncCommand<String, String, String> call = new AsyncCommand<>(new Command<>(
                    CommandType.EVALSHA, new ValueOutput<>(codec), new ScriptArgs(script, keys, args, tag)));
            if (behind) {
                AsyncCommand<String, String, String> ping = ping(codec);
                on.driver().dispatch(List.of(ping, call));
                ping.whenComplete((pong, failure) -> supervisor.outOfStepIf(on, failure));
            } else {
                on.driver().dispatch(call);
            }
            call.whenComplete(this);
        } catch (Throwable e) { // L13; half of it may have been written
            failed(on, e);
        }
    }

    /**
     * Goes before the script in the same packet. Redis writes to its connections in the reverse order of their first
     * reply in a turn of its loop, so the reply to a script leaves before the message that the script published. With
     * the PING the first reply of this connection is the older one, and the waiter gets its message first.
     */
    private static AsyncCommand<String, String, String> ping(StringCodec codec) {
        return new AsyncCommand<>(new Command<>(CommandType.PING, new StatusOutput<>(codec)));
    }

    boolean sentOn(RedisConnection other) {
        return connection == other;
    }

    @Override
    public void accept(@Nullable String reply, @Nullable Throwable failure) {
        RedisConnection on = connection;
        if (on == null) {
            endNow(); // cannot be: the field is set before anything is sent
            return;
        }
        try {
            String answer = failure == null ? RequestTag.strip(tag, reply) : null;
            if (answer != null) {
                supervisor.heard();
                complete(answer);
            } else if (failure == null) {
                outOfStep(on);
            } else {
                failed(on, Failures.unwrapped(failure));
            }
        } catch (Throwable e) { // L13: whatever goes wrong here is the outcome of the call
            supervisor.lost(on);
            completeExceptionally(Failures.of(supervisor.where(), e));
        }
    }

    private void outOfStep(RedisConnection on) {
        completeExceptionally(new StoreUnavailableException(
                supervisor.where() + " cannot be reached: the answer to another request arrived for the script '"
                        + script.name() + "', so the connection was closed",
                true,
                null));
        supervisor.lost(on);
    }

    private void failed(RedisConnection on, Throwable cause) {
        if (cause instanceof RedisNoScriptException) {
            supervisor.heard();
            String[] tagged = Arrays.copyOf(args, args.length + 1);
            tagged[args.length] = tag;
            RedisFuture<String> again = on.commands().eval(script.source(), ScriptOutputType.VALUE, keys, tagged);
            again.whenComplete(this);
        } else if (Failures.tryAgain(cause) && deadline - System.nanoTime() > 0) {
            supervisor.timers().schedule(this::resend, AGAIN_MILLIS, TimeUnit.MILLISECONDS);
        } else {
            completeExceptionally(Failures.of(supervisor.where(), cause));
            if (Failures.notThePrimary(cause)) {
                supervisor.lost(on);
            } else {
                supervisor.outOfStepIf(on, cause);
            }
        }
    }

    private void resend() {
        RedisConnection now = supervisor.current();
        if (now == null) {
            endNow();
        } else if (!isDone()) {
            send(now);
        }
    }

    /** The connection broke, or the store is closing, before the server answered. */
    @Override
    public void endNow() {
        completeExceptionally(new StoreUnavailableException(
                supervisor.where() + " cannot be reached: the connection broke before it answered", true, null));
    }

    @Override
    public boolean endIfLate(long now) {
        if (deadline - now > 0) {
            return false;
        }
        boolean late = completeExceptionally(new StoreUnavailableException(
                supervisor.where() + " did not answer within " + TimeUnit.NANOSECONDS.toMillis(timeout) + " ms",
                true,
                null));
        RedisConnection on = connection;
        if (late && on != null) {
            supervisor.unanswered(on, now);
        }
        return true;
    }
}
