package io.holdfast.guard.redis;

import io.holdfast.LockNames;
import io.holdfast.Mode;
import io.holdfast.Sequencer;
import io.holdfast.StaleTokenException;
import io.holdfast.fence.Guard;
import io.holdfast.fence.Marks;
import io.holdfast.guard.redis.mark.ResourceMarks;
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
    private static final String GUARDED =
            ResourceMarks.rule() + GuardScript.text("once.lua") + GuardScript.text("guarded.lua");
    private static final GuardScript ADMIT = GuardScript.of(ResourceMarks.rule() + """
            local refused, mark = judge(redis.call('GET', KEYS[1]))
            if mark then redis.call('SET', KEYS[1], mark) end
            return {refused or 'A'}""");
    private static final GuardScript SET = single("redis.call('SET', KEYS[1], ARGV[1])");
    private static final GuardScript HSET = single("return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])");
    // GET afterwards: a Lua number would round a large sum.
    private static final GuardScript INCRBY =
            single("redis.call('INCRBY', KEYS[1], ARGV[1]) return redis.call('GET', KEYS[1])");
    private static final GuardScript DEL =
            single("local n = 0 for _, key in ipairs(KEYS) do n = n + redis.call('DEL', key) end return n");
    private static final GuardScript READ = GuardScript.of("return {'A', redis.call('GET', KEYS[1]) or ''}");

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
        ResourceMarks keys = new ResourceMarks(namespace);
        this.markKey = keys.mark(resource);
        this.doneKey = keys.done(resource);
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
        judged(ADMIT.run(redis, new String[] {markKey}, ResourceMarks.arguments(sequencer, 3)), sequencer);
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
        return run(guarded(script, false), sequencer, keys(keys.toArray(String[]::new)), args);
    }

    @Override
    public Marks marks() {
        List<Object> reply = READ.run(redis, new String[] {markKey});
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

    private @Nullable Object run(GuardScript script, Sequencer sequencer, String[] keys, List<String> args) {
        check(sequencer);
        String[] all = ResourceMarks.arguments(sequencer, OWN_ARGS + args.size());
        all[OWN_ARGS - 1] = GuardScript.requestId();
        for (int i = 0; i < args.size(); i++) {
            all[OWN_ARGS + i] = args.get(i);
        }
        return judged(script.run(redis, keys, all), sequencer);
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
    private static GuardScript single(String body) {
        return guarded(body, true);
    }

    private static GuardScript guarded(String body, boolean whole) {
        return GuardScript.of(GUARDED + "return guarded(function(KEYS, ARGV)\n" + body + "\nend, " + whole + ")");
    }
}
