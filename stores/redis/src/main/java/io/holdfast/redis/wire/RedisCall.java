package io.holdfast.redis.wire;

import io.holdfast.StoreUnavailableException;
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
 * One script call under way: by digest, with the source if the server does not know it yet, again if keys are on the
 * move; and its end in time. It is its own future and callback, because it is made for every lock and every unlock.
 *
 * <p>U29: an answer counts only if it begins with the tag of this request. Any other answer, and any failure that the
 * server did not send, means that the stream may be out of step: the outcome is unknown and the session ends.
 */
final class RedisCall extends CompletableFuture<String> implements BiConsumer<@Nullable String, @Nullable Throwable> {
    private static final long AGAIN_MILLIS = 10;

    private final RedisWire wire;
    private final LuaScript script;
    private final String[] keys;
    private final String[] args;
    private final long deadline;
    private final long timeout;
    private final boolean behind;
    private final String tag = RequestTag.next();
    private volatile @Nullable Session session;

    /**
     * @param timeout in ns
     * @param behind whether the reply should leave the server after what the script publishes
     */
    RedisCall(RedisWire wire, LuaScript script, String[] keys, String[] args, long timeout, boolean behind) {
        this.wire = wire;
        this.script = script;
        this.keys = keys;
        this.args = args;
        this.timeout = timeout;
        this.deadline = System.nanoTime() + timeout;
        this.behind = behind;
    }

    void send(Session on) {
        session = on;
        StringCodec codec = StringCodec.UTF8;
        try {
            AsyncCommand<String, String, String> call = new AsyncCommand<>(new Command<>(
                    CommandType.EVALSHA, new ValueOutput<>(codec), new ScriptArgs(script, keys, args, tag)));
            if (behind) {
                AsyncCommand<String, String, String> ping = ping(codec);
                on.connection().dispatch(List.of(ping, call));
                ping.whenComplete((pong, failure) -> wire.outOfStepIf(on, failure));
            } else {
                on.connection().dispatch(call);
            }
            call.whenComplete(this);
        } catch (Throwable e) { // L13; half of it may have been written
            failed(on, e);
        }
    }

    /**
     * Goes before the script in the same packet. Redis answers its connections in the reverse order of their first reply
     * in a turn of its loop, so the reply to a script is sent before what the script published; with the PING this
     * connection's first reply is the older one, and whoever waits for the message has it first.
     */
    private static AsyncCommand<String, String, String> ping(StringCodec codec) {
        return new AsyncCommand<>(new Command<>(CommandType.PING, new StatusOutput<>(codec)));
    }

    boolean sentOn(Session other) {
        return session == other;
    }

    @Override
    public void accept(@Nullable String reply, @Nullable Throwable failure) {
        Session on = session;
        if (on == null) {
            connectionLost(); // cannot be: it is set before anything is sent
            return;
        }
        try {
            if (failure == null) {
                answered(on, reply);
            } else {
                failed(on, Failures.unwrapped(failure));
            }
        } catch (Throwable e) { // L13: whatever goes wrong here is the outcome of the call
            wire.lost(on);
            completeExceptionally(Failures.of(wire.where(), e));
        }
    }

    private void answered(Session on, @Nullable String reply) {
        String answer = RequestTag.strip(tag, reply);
        if (answer != null) {
            wire.heard();
            complete(answer);
        } else {
            completeExceptionally(new StoreUnavailableException(
                    wire.where() + " cannot be reached: the answer to another request arrived for the script '"
                            + script.name() + "', so the connection was closed",
                    true,
                    null));
            wire.lost(on);
        }
    }

    private void failed(Session on, Throwable cause) {
        if (cause instanceof RedisNoScriptException) {
            wire.heard();
            String[] tagged = Arrays.copyOf(args, args.length + 1);
            tagged[args.length] = tag;
            RedisFuture<String> again = on.commands().eval(script.source(), ScriptOutputType.VALUE, keys, tagged);
            again.whenComplete(this);
        } else if (Failures.tryAgain(cause) && deadline - System.nanoTime() > 0) {
            wire.timers().schedule(this::resend, AGAIN_MILLIS, TimeUnit.MILLISECONDS);
        } else {
            completeExceptionally(Failures.of(wire.where(), cause));
            if (Failures.notThePrimary(cause)) {
                wire.lost(on);
            } else {
                wire.outOfStepIf(on, cause);
            }
        }
    }

    void connectionLost() {
        completeExceptionally(new StoreUnavailableException(
                wire.where() + " cannot be reached: the connection broke before it answered", true, null));
    }

    /** Ends the call if its time is up. */
    boolean endIfLate(long now) {
        if (deadline - now > 0) {
            return false;
        }
        boolean late = completeExceptionally(new StoreUnavailableException(
                wire.where() + " did not answer within " + TimeUnit.NANOSECONDS.toMillis(timeout) + " ms", true, null));
        Session on = session;
        if (late && on != null) {
            wire.unanswered(on, now);
        }
        return true;
    }

    private void resend() {
        Session now = wire.session();
        if (now == null) {
            connectionLost();
        } else if (!isDone()) {
            send(now);
        }
    }
}
