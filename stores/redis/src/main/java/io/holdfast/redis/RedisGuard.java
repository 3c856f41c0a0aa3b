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
 * marks the resource and writes, or does nothing at all.
 *
 * <p>{@link #admit} comes first, before anything is read (U1); the writes check again. The marks stay when the data is
 * deleted (U19). They are the ones that {@link io.holdfast.spi.MarkingStore#admit} of the Redis store uses, so that
 * {@code holdfast admit RESOURCE} and this guard agree.
 *
 * <p>In a cluster every key of a call must be in the slot of the resource: name the resource like the key, or give both
 * the same hash tag, as in {@code stock:{42}} and {@code stock:{42}:reserved}.
 *
 * <p>Blocking, on the connection it was given; thread-safe if that is.
 */
public final class RedisGuard implements Guard {
    private static final String MARKS = LuaScript.text(RedisGuard.class, "marks.lua");
    private static final String OR_REFUSED = "if refused then return {refused} end\n";
    private static final LuaScript ADMIT = guarded("admit", "return {'A'}");
    private static final LuaScript SET = guarded("set", "redis.call('SET', KEYS[2], ARGV[4]) return {'A'}");
    private static final LuaScript HSET =
            guarded("hset", "return {'A', redis.call('HSET', KEYS[2], ARGV[4], ARGV[5])}");
    // GET afterwards: a Lua number would round a large sum.
    private static final LuaScript INCRBY =
            guarded("incrby", "redis.call('INCRBY', KEYS[2], ARGV[4]) return {'A', redis.call('GET', KEYS[2])}");
    private static final LuaScript DEL =
            guarded("del", "local n = 0 for i = 2, #KEYS do n = n + redis.call('DEL', KEYS[i]) end return {'A', n}");
    private static final LuaScript READ = LuaScript.of("marks", "return {'A', redis.call('GET', KEYS[1]) or ''}");

    private final RedisScriptingCommands<String, String> redis;
    private final String resource;
    private final String lockName;
    private final String markKey;
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
        this.markKey = new KeySpace(namespace).mark(resource);
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
        String namespace = markKey.startsWith("hf:") ? "" : markKey.substring(0, markKey.indexOf(":hf:"));
        return new RedisGuard(redis, namespace, resource, lockName, key.clone());
    }

    @Override
    public String resource() {
        return resource;
    }

    @Override
    public void admit(Sequencer sequencer) {
        run(ADMIT, sequencer, new String[] {markKey}, List.of());
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
     * given here, and touches no key that is not among them.
     *
     * @return what the script returned: a {@code Long}, a {@code String}, a {@code List} or null
     */
    public @Nullable Object eval(Sequencer sequencer, String script, List<String> keys, List<String> args) {
        String wrapped = "local own_keys, own_args = {}, {}\n"
                + "for i = 2, #KEYS do own_keys[i - 1] = KEYS[i] end\n"
                + "for i = 4, #ARGV do own_args[i - 3] = ARGV[i] end\n"
                + "local function own(KEYS, ARGV)\n" + script + "\nend\n"
                + "return {'A', own(own_keys, own_args)}";
        return run(guarded("own script", wrapped), sequencer, keys(keys.toArray(String[]::new)), args);
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
        String[] all = new String[3 + args.size()];
        all[0] = Replies.mode(sequencer.mode());
        all[1] = Long.toString(sequencer.token());
        all[2] = sequencer.lockName();
        for (int i = 0; i < args.size(); i++) {
            all[3 + i] = args.get(i);
        }
        List<Object> reply = call(script, keys, all);
        String verdict = String.valueOf(reply.get(0));
        if (verdict.startsWith("S ")) {
            refusals.incrementAndGet();
            throw new StaleTokenException(resource, lockName, Long.parseLong(verdict.substring(2)), sequencer.token());
        }
        if (verdict.startsWith("O ")) {
            throw otherLock(verdict.substring(2), sequencer);
        }
        return reply.size() > 1 ? reply.get(1) : null;
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
        String[] all = new String[own.length + 1];
        all[0] = markKey;
        System.arraycopy(own, 0, all, 1, own.length);
        return all;
    }

    private static long number(@Nullable Object value) {
        return Long.parseLong(String.valueOf(value));
    }

    private static LuaScript guarded(String name, String body) {
        return LuaScript.of(name, MARKS + OR_REFUSED + body);
    }
}
