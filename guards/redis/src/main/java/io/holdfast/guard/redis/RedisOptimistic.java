package io.holdfast.guard.redis;

import io.holdfast.guard.redis.mark.ResourceMarks;
import io.lettuce.core.api.sync.RedisScriptingCommands;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * No lock at all: compare-and-set of a string value in one script call, for users who only update one thing. A key's
 * expiry is kept. Blocking, on the connection it was given; thread-safe if that is.
 *
 * <p>The comparison is by value: a value that was changed and changed back counts as unchanged. Where that matters, put
 * a version into the value.
 *
 * <p>A driver that reconnects sends again what was not answered. A change is made once all the same: a key beside the
 * value holds the ids of its last 64 changes, for an hour after the last one. If a call ends with an exception of the
 * driver (a timeout, a lost connection) it is unknown whether the change was made.
 */
public final class RedisOptimistic {
    private static final GuardScript CAS = GuardScript.of(GuardScript.text("once.lua") + """
            local got = redis.call('MGET', KEYS[1], KEYS[2])
            local now, done = got[1], got[2]
            local before = repeated(done, ARGV[5])
            if before then return before end
            local same = (ARGV[1] == '0' and not now) or (ARGV[1] == '1' and now == ARGV[2])
            if not same then return {0, now} end
            if ARGV[3] == '0' then redis.call('DEL', KEYS[1])
            else redis.call('SET', KEYS[1], ARGV[4], 'KEEPTTL') end
            redis.call('SET', KEYS[2], remember(done, ARGV[5], {1}), 'EX', 3600)
            return {1}""");
    private static final GuardScript READ = GuardScript.of("return {0, redis.call('GET', KEYS[1])}");

    private static final ResourceMarks KEYS = new ResourceMarks("");

    private final RedisScriptingCommands<String, String> redis;

    private RedisOptimistic(RedisScriptingCommands<String, String> redis) {
        this.redis = Objects.requireNonNull(redis);
    }

    /** Over the verbs of a connection, as from {@code connection.sync()}. */
    public static RedisOptimistic over(RedisScriptingCommands<String, String> redis) {
        return new RedisOptimistic(redis);
    }

    /** Replaces {@code expected} by {@code value}, empty meaning that there is no such key; false if it was not so. */
    public boolean compareAndSet(String key, Optional<String> expected, Optional<String> value) {
        return attempt(key, expected, value).get(0).equals(1L);
    }

    /** What is there now. */
    public Optional<String> get(String key) {
        return current(call(READ, key));
    }

    /**
     * Applies {@code change} until no other client was faster. It may be called several times and must not have side effects.
     *
     * @param tries the most attempts
     * @return the value that was written
     * @throws IllegalStateException if another client was faster in every attempt
     */
    public Optional<String> update(String key, UnaryOperator<Optional<String>> change, int tries) {
        Optional<String> seen = get(key);
        for (int i = 0; i < tries; i++) {
            Optional<String> next = change.apply(seen);
            List<Object> reply = attempt(key, seen, next);
            if (reply.get(0).equals(1L)) {
                return next;
            }
            seen = current(reply);
        }
        throw new IllegalStateException("'" + key + "' was changed by others in each of " + tries
                + " attempts: allow more of them, or take a lock");
    }

    private List<Object> attempt(String key, Optional<String> expected, Optional<String> value) {
        return call(
                CAS,
                key,
                expected.isPresent() ? "1" : "0",
                expected.orElse(""),
                value.isPresent() ? "1" : "0",
                value.orElse(""),
                GuardScript.requestId());
    }

    private static Optional<String> current(List<Object> reply) {
        // A nil at the end of a Lua table ends it early.
        return reply.size() < 2 ? Optional.empty() : Optional.ofNullable((String) reply.get(1));
    }

    private List<Object> call(GuardScript script, String key, String... args) {
        return script.run(redis, new String[] {key, KEYS.done(key)}, args);
    }
}
