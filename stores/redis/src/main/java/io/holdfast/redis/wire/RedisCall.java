package io.holdfast.redis.wire;

import io.holdfast.StoreUnavailableException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One script call under way: by digest, with the source if the server does not know it yet, again if keys are on the
 * move; and its end in time. It is its own future and callback, because it is made for every lock and every unlock.
 */
final class RedisCall extends CompletableFuture<String> implements BiConsumer<@Nullable String, @Nullable Throwable> {
    private static final long AGAIN_MILLIS = 10;

    private final RedisWire wire;
    private final LuaScript script;
    private final String[] keys;
    private final String[] args;
    private final long deadline;
    private final long timeout;
    private volatile @Nullable Session session;

    RedisCall(RedisWire wire, LuaScript script, String[] keys, String[] args, long timeout) {
        this.wire = wire;
        this.script = script;
        this.keys = keys;
        this.args = args;
        this.timeout = timeout;
        this.deadline = System.nanoTime() + timeout;
    }

    void send(Session on) {
        session = on;
        RedisFuture<String> reply = on.commands().evalsha(script.digest(), ScriptOutputType.VALUE, keys, args);
        reply.whenComplete(this);
    }

    boolean sentOn(Session other) {
        return session == other;
    }

    @Override
    public void accept(@Nullable String reply, @Nullable Throwable failure) {
        if (failure == null) {
            wire.heard();
            complete(reply == null ? "" : reply);
            return;
        }
        Throwable cause = Failures.unwrapped(failure);
        Session on = session;
        if (cause instanceof RedisNoScriptException && on != null) {
            wire.heard();
            RedisFuture<String> again = on.commands().eval(script.source(), ScriptOutputType.VALUE, keys, args);
            again.whenComplete(this);
        } else if (Failures.tryAgain(cause) && deadline - System.nanoTime() > 0) {
            wire.timers().schedule(this::resend, AGAIN_MILLIS, TimeUnit.MILLISECONDS);
        } else {
            if (on != null && Failures.notThePrimary(cause)) {
                wire.lost(on);
            }
            completeExceptionally(Failures.of(wire.where(), cause));
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
