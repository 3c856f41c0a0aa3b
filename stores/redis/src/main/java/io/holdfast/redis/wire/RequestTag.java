package io.holdfast.redis.wire;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Makes an answer recognisable (U29): twelve random digits that a request carries as its last argument and that begin
 * the answer of the script. Requests share a connection, and an answer belongs to a request only because of its place in
 * the stream; if the stream is out of step, a request gets the answer of another.
 */
public final class RequestTag {
    private static final int DIGITS = 12;

    private RequestTag() {}

    /** A tag for one request. */
    public static String next() {
        return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong(), DIGITS);
    }

    /** What follows the tag in the answer, or null if this is not the answer to the request with this tag. */
    static @Nullable String strip(String tag, @Nullable String answer) {
        int length = tag.length();
        return answer != null && answer.length() > length && answer.charAt(length) == ' ' && answer.startsWith(tag)
                ? answer.substring(length + 1)
                : null;
    }
}
