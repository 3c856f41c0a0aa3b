package io.holdfast.redis.wire;

import io.holdfast.spi.support.TokenRule;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A script. A server knows it by its digest once it has seen the source.
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

    /**
     * A script put together from the resources {@code part.lua}, in this order. The constants of {@link TokenRule} stand
     * in the text by their names and are replaced by their values.
     *
     * @param resources opens a resource, as {@link Class#getResourceAsStream} of a class of the caller does
     * @param parts the names of the parts; the last one is the name of the script
     */
    public static LuaScript ofParts(Function<String, @Nullable InputStream> resources, String... parts) {
        StringBuilder source = new StringBuilder();
        for (String part : parts) {
            source.append(text(resources, part + ".lua"));
        }
        return of(
                parts[parts.length - 1],
                source.toString()
                        .replace("START_AHEAD_MICROS", Long.toString(TokenRule.START_AHEAD_MICROS))
                        .replace("SPAN_LEAD_MICROS", Long.toString(TokenRule.SPAN_LEAD_MICROS)));
    }

    private static String text(Function<String, @Nullable InputStream> resources, String resource) {
        try (InputStream in = resources.apply(resource)) {
            if (in == null) {
                throw new IllegalStateException("the script " + resource + " is missing from its jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
