package io.holdfast.spi;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The holder id (RV): 160 random bits, fresh for every acquisition at the store, never per thread or per lock object.
 * It is what compare-and-delete compares, and the request id that makes a repeated request harmless.
 */
public record HolderId(long high, long middle, int low) {
    private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.ISO_8859_1);

    // Written out, because the code that the JVM makes for records is made anew at every start of a short-lived
    // process.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof HolderId id && high == id.high && middle == id.middle && low == id.low;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(high ^ middle) ^ low;
    }

    /** 40 lower-case hexadecimal digits. */
    @Override
    public String toString() {
        byte[] text = new byte[40];
        put(text, 0, 16, high);
        put(text, 16, 16, middle);
        put(text, 32, 8, low);
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    /**
     * Reads what {@link #toString()} wrote.
     *
     * @throws IllegalArgumentException if it is anything else
     */
    public static HolderId parse(String text) {
        if (!wellFormed(text)) {
            throw new IllegalArgumentException("a holder id is 40 hexadecimal digits, not '" + text + "'");
        }
        return new HolderId(
                Long.parseUnsignedLong(text.substring(0, 16), 16),
                Long.parseUnsignedLong(text.substring(16, 32), 16),
                Integer.parseUnsignedInt(text.substring(32), 16));
    }

    /** Without a pattern: stores read an id for every node or row that they list. */
    private static boolean wellFormed(String text) {
        boolean fits = text.length() == 40;
        for (int i = 0; fits && i < 40; i++) {
            char c = text.charAt(i);
            fits = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        }
        return fits;
    }

    private static void put(byte[] text, int from, int digits, long value) {
        long left = value;
        for (int at = from + digits - 1; at >= from; at--) {
            text[at] = DIGITS[(int) left & 0xf];
            left >>>= 4;
        }
    }
}
