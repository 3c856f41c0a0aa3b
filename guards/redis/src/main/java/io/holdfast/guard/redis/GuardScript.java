package io.holdfast.guard.redis;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisScriptingCommands;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A script of a guard. It is sent by its digest, and with its source if the server does not know it.
 *
 * @param source what is executed; its answer is an array
 * @param digest the SHA-1 of the source in lower-case hexadecimal
 */
record GuardScript(String source, String digest) {
    static GuardScript of(String source) {
        try {
            byte[] sha = MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.UTF_8));
            return new GuardScript(source, HexFormat.of().formatHex(sha));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-1", e);
        }
    }

    /** The text of a resource beside this class. */
    static String text(String resource) {
        try (InputStream in = GuardScript.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is missing from the jar of " + GuardScript.class);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sixteen random digits. They tell a request that the driver sends again from another request. */
    static String requestId() {
        return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
    }

    List<Object> run(RedisScriptingCommands<String, String> redis, String[] keys, String... args) {
        try {
            return redis.evalsha(digest, ScriptOutputType.MULTI, keys, args);
        } catch (RedisNoScriptException unknown) {
            return redis.eval(source, ScriptOutputType.MULTI, keys, args);
        }
    }
}
