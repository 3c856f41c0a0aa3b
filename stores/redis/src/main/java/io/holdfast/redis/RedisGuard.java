package io.holdfast.redis;

import io.holdfast.LockNames;
import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.fence.Guard;
import io.holdfast.fence.Marks;
import io.holdfast.redis.wire.LuaScript;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisScriptingCommands;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Guards data in Redis: the marks are kept beside it, and every guarded write is one script call that checks the token,
 * writes and marks the resource, or does nothing at all.
 *
 * <p>{@link #admit} comes first, before anything is read (U1); the writes check again. The marks stay when the data is
 * deleted (U19). They are the ones that {@link io.holdfast.spi.MarkingStore#admit} of the Redis store uses, so that
 * {@code holdfast admit RESOURCE} and this guard agree.
 *
 * <p>A driver that reconnects sends again what was not answered, as Lettuce does unless it is told otherwise. A write is
 * executed once all the same: beside the mark are the ids of the last 64 writes to the resource and their answers, and a
 * repeated one is answered from there. If a call ends with an exception of the driver (a timeout, a lost connection) it is
 * unknown whether the write took place; calling the method again is another write.
 *
 * <p>In a cluster every key of a call must be in the slot of the resource: name the resource like the key, or give both
 * the same hash tag, as in {@code stock:{42}} and {@code stock:{42}:reserved}.
 *
 * <p>Blocking, on the connection it was given; thread-safe if that is.
 */
public final class RedisGuard implements Guard {
    private static final String MARKS = LuaScript.text(RedisGuard.class, "marks.lua");
    private static final String GUARDED =
            MARKS + LuaScript.text(RedisGuard.class, "once.lua") + LuaScript.text(RedisGuard.class, "guarded.lua");
    private static final LuaScript ADMIT = LuaScript.of("admit", MARKS + """
            local refused, mark = judge(redis.call('GET', KEYS[1]))
            if mark then redis.call('SET', KEYS[1], mark) end
            return {refused or 'A'}""");
    private static final LuaScript SET = single("set", "redis.call('SET', KEYS[1], ARGV[1])");
    private static final LuaScript HSET = single("hset", "return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])");
    // GET afterwards: a Lua number would round a large sum.
    private static final LuaScript INCRBY =
            single("incrby", "redis.call('INCRBY', KEYS[1], ARGV[1]) return redis.call('GET', KEYS[1])");
    private static final LuaScript DEL =
            single("del", "local n = 0 for _, key in ipairs(KEYS) do n = n + redis.call('DEL', key) end return n");
    private static final LuaScript READ = LuaScript.of("marks", "return {'A', redis.call('GET', KEYS[1]) or ''}");

    /** Where a write's own arguments begin. */
    private static final int OWN_ARGS = 4;

    private final RedisScriptingCommands<String, String> redis;
    private final String resource;
    private final String lockName;
    private final String namespace;
    private final String markKey;
    private final String doneKey;
    private final byte @Nullable [] signingKey;
    private final AtomicLong refusals = new AtomicLong();

    private RedisGuard(
            RedisScriptingCommands<String, String> redis,
            String namespace,
            String resource,
            String lockName,
            byte @Nullable [] signingKey) {
        this.redis = redis;
        this.resource = LockNames.check("resource", resource);
        this.lockName = LockNames.check(lockName);
        this.namespace = namespace;
        KeySpace keySpace = new KeySpace(namespace);
        this.markKey = keySpace.mark(resource);
        this.doneKey = keySpace.done(resource);
        this.signingKey = signingKey;
    }

    /**
     * Guards {@code resource}, which the lock {@code lockName} protects. Believes unsigned sequencers.
     *
     * @param redis the verbs of a connection to the data, as from {@code connection.sync()}
     * @param resource what is guarded
     * @param lockName the lock
     */
    public static RedisGuard of(RedisScriptingCommands<String, String> redis, String resource, String lockName) {
        return new RedisGuard(redis, "", resource, lockName, null);
    }

    /** With the marks in a namespace, as the store's {@code namespace=} puts them. */
    public RedisGuard inNamespace(String namespace) {
        return new RedisGuard(redis, namespace, resource, lockName, signingKey);
    }

    /** Across a trust boundary: only sequencers signed with {@code key} are believed. */
    public RedisGuard signedWith(byte[] key) {
        return new RedisGuard(redis, namespace, resource, lockName, key.clone());
    }

    @Override
    public String resource() {
        return resource;
    }

    @Override
    public void admit(Sequencer sequencer) {
        check(sequencer);
        judged(call(ADMIT, new String[] {markKey}, claim(sequencer, 3)), sequencer);
    }

    /** {@code SET key value}. */
    public void set(Sequencer sequencer, String key, String value) {
        run(SET, sequencer, keys(key), List.of(value));
    }

    /** {@code HSET key field value}; true if the field is new. */
    public boolean hset(Sequencer sequencer, String key, String field, String value) {
        return number(run(HSET, sequencer, keys(key), List.of(field, value))) == 1;
    }

    /** {@code INCRBY key amount}; the sum. */
    public long incrBy(Sequencer sequencer, String key, long amount) {
        return number(run(INCRBY, sequencer, keys(key), List.of(Long.toString(amount))));
    }

    /** {@code DEL key…}; how many there were. */
    public long del(Sequencer sequencer, String... keys) {
        return number(run(DEL, sequencer, keys(keys), List.of()));
    }

    /**
     * A script of the caller's own, which runs only if the token is admitted. It sees {@code KEYS} and {@code ARGV} as
     * given here, and touches no key that is not among them. What it wrote before it failed stays, and then the resource is
     * marked as well.
     *
     * @return what the script returned: a {@code Long}, a {@code String}, a {@code List} or null
     * @throws IllegalStateException if the script failed; or if it was repeated by the driver and had answered with more
     *     than 512 bytes, which are not kept: then it was executed once
     */
    public @Nullable Object eval(Sequencer sequencer, String script, List<String> keys, List<String> args) {
        return run(guarded("own script", script, false), sequencer, keys(keys.toArray(String[]::new)), args);
    }

    @Override
    public Marks marks() {
        List<Object> reply = call(READ, new String[] {markKey}, new String[0]);
        String mark = String.valueOf(reply.get(1));
        if (mark.isEmpty()) {
            return Marks.NONE;
        }
        String[] words = mark.split(" ", 3);
        return new Marks(Long.parseLong(words[0]), Long.parseLong(words[1]));
    }

    @Override
    public long refusals() {
        return refusals.get();
    }

    private @Nullable Object run(LuaScript script, Sequencer sequencer, String[] keys, List<String> args) {
        check(sequencer);
        String[] all = claim(sequencer, OWN_ARGS + args.size());
        all[OWN_ARGS - 1] = RequestId.next();
        for (int i = 0; i < args.size(); i++) {
            all[OWN_ARGS + i] = args.get(i);
        }
        return judged(call(script, keys, all), sequencer);
    }

    private static String[] claim(Sequencer sequencer, int length) {
        String[] args = new String[length];
        args[0] = Replies.mode(sequencer.mode());
        args[1] = Long.toString(sequencer.token());
        args[2] = sequencer.lockName();
        return args;
    }

    private @Nullable Object judged(List<Object> reply, Sequencer sequencer) {
        String verdict = String.valueOf(reply.get(0));
        switch (verdict.charAt(0)) {
            case 'A' -> {
                return reply.size() > 1 ? reply.get(1) : null;
            }
            case 'S' -> {
                refusals.incrementAndGet();
                throw new StaleTokenException(
                        resource, lockName, Long.parseLong(verdict.substring(2)), sequencer.token());
            }
            case 'O' -> throw otherLock(verdict.substring(2), sequencer);
            case 'T' ->
                throw new IllegalStateException("the write to '" + resource
                        + "' took place once, but its answer was lost and is too long to be kept");
            default ->
                throw new IllegalStateException(
                        "the write to '" + resource + "' failed: " + verdict.substring(Math.min(2, verdict.length())));
        }
    }

    private List<Object> call(LuaScript script, String[] keys, String[] args) {
        try {
            return redis.evalsha(script.digest(), ScriptOutputType.MULTI, keys, args);
        } catch (RedisNoScriptException unknown) {
            return redis.eval(script.source(), ScriptOutputType.MULTI, keys, args);
        }
    }

    private void check(Sequencer sequencer) {
        if (!sequencer.lockName().equals(lockName)) {
            throw otherLock(lockName, sequencer);
        }
        if (sequencer.mode() == Mode.PERMIT) {
            throw new IllegalArgumentException(
                    "permits cannot be fenced: the newest token does not make the others stale");
        }
        if (signingKey != null && !sequencer.isSignedWith(signingKey)) {
            throw new IllegalArgumentException(
                    "'" + resource + "' admits signed sequencers only, and this one of lock '" + lockName + "' "
                            + (sequencer.isSigned() ? "has a wrong signature" : "is not signed"));
        }
    }

    private IllegalArgumentException otherLock(String guardedBy, Sequencer sequencer) {
        return new IllegalArgumentException("'" + resource + "' is guarded by lock '" + guardedBy
                + "', but the sequencer is of lock '" + sequencer.lockName() + "'");
    }

    private String[] keys(String... own) {
        String[] all = new String[own.length + 2];
        all[0] = markKey;
        all[1] = doneKey;
        System.arraycopy(own, 0, all, 2, own.length);
        return all;
    }

    private static long number(@Nullable Object value) {
        return Long.parseLong(String.valueOf(value));
    }

    /** One command, or several of which only the first can fail. */
    private static LuaScript single(String name, String body) {
        return guarded(name, body, true);
    }

    private static LuaScript guarded(String name, String body, boolean whole) {
        return LuaScript.of(name, GUARDED + "return guarded(function(KEYS, ARGV)\n" + body + "\nend, " + whole + ")");
    }
}
