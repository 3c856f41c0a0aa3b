package io.holdfast.redis.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Arguments of a command in the form in which they are sent. The driver would make a buffer for each of them; a script
 * has a dozen, and they are made for every lock and every unlock.
 */
public final class WireText {
    private byte[] bytes;
    private int length;

    /** Empty, with room for so many bytes; it grows. */
    public WireText(int room) {
        this.bytes = new byte[room];
    }

    /** Appends an argument. */
    public WireText add(String argument) {
        return add(argument.getBytes(StandardCharsets.UTF_8));
    }

    /** Appends an argument. */
    public WireText add(byte[] argument) {
        int size = argument.length;
        byte[] count = Integer.toString(size).getBytes(StandardCharsets.ISO_8859_1);
        int end = length + 1 + count.length + 2 + size + 2;
        if (end > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(end, 2 * bytes.length));
        }
        bytes[length++] = '$';
        append(count);
        append(argument);
        return this;
    }

    private void append(byte[] part) {
        System.arraycopy(part, 0, bytes, length, part.length);
        length += part.length;
        bytes[length++] = '\r';
        bytes[length++] = '\n';
    }

    /** Writes all of them. */
    public void writeTo(ByteBuf buffer) {
        buffer.writeBytes(bytes, 0, length);
    }
}
