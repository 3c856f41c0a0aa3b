package io.holdfast.redis.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A script that a server knows by its digest once it has seen it.
 *
 * @param name for messages
 * @param source what is executed
 * @param digest the SHA-1 of the source in lower-case hexadecimal
 */
public record LuaScript(String name, String source, String digest) {
    /** A script of this source. */
    public static LuaScript of(String name, String source) {
        try {
            byte[] sha = MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.UTF_8));
            return new LuaScript(name, source, HexFormat.of().formatHex(sha));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-1", e);
        }
    }

    /** A script put together from the resources {@code part.lua} beside {@code home}, in this order. */
    public static LuaScript ofParts(Class<?> home, String... parts) {
        StringBuilder source = new StringBuilder();
        for (String part : parts) {
            source.append(text(home, part + ".lua"));
        }
        return of(parts[parts.length - 1], source.toString());
    }

    /** The text of a resource beside {@code home}. */
    public static String text(Class<?> home, String resource) {
        try (InputStream in = home.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is missing from the jar of " + home.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
