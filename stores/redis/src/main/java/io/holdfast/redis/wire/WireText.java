package io.holdfast.redis.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Arguments of a command in the form in which they are sent, in one array. The driver would make a buffer for each of
 * them, and a script has a dozen, for every acquire and every release.
 */
public final class WireText {
    /** A dollar sign, ten digits and two line ends. */
    private static final int FRAME = 15;

    private byte[] bytes;
    private int length;

    /** Empty, with room for so many bytes; it grows. */
    public WireText(int room) {
        this.bytes = new byte[room];
    }

    /** How much room these arguments take, unless they have characters beyond ASCII. */
    public static int roomFor(String[] arguments) {
        int room = 0;
        for (String argument : arguments) {
            room += FRAME + argument.length();
        }
        return room;
    }

    /** Appends an argument. */
    public WireText add(String argument) {
        int start = length;
        int size = argument.length();
        begin(size);
        for (int i = 0; i < size; i++) {
            char c = argument.charAt(i);
            if (c >= 0x80) {
                length = start;
                return addEncoded(argument.getBytes(StandardCharsets.UTF_8));
            }
            bytes[length + i] = (byte) c;
        }
        length += size;
        endLine();
        return this;
    }

    /** Appends a number. */
    public WireText add(int number) {
        return add(Integer.toString(number));
    }

    private WireText addEncoded(byte[] argument) {
        begin(argument.length);
        System.arraycopy(argument, 0, bytes, length, argument.length);
        length += argument.length;
        endLine();
        return this;
    }

    private void begin(int size) {
        if (length + FRAME + size > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(length + FRAME + size, 2 * bytes.length));
        }
        bytes[length++] = '$';
        int digits = 1;
        for (int left = size / 10; left > 0; left /= 10) {
            digits++;
        }
        int left = size;
        for (int at = length + digits - 1; at >= length; at--) {
            bytes[at] = (byte) ('0' + left % 10);
            left /= 10;
        }
        length += digits;
        endLine();
    }

    private void endLine() {
        bytes[length++] = '\r';
        bytes[length++] = '\n';
    }

    /** Writes all arguments. */
    public void writeTo(ByteBuf buffer) {
        buffer.writeBytes(bytes, 0, length);
    }
}
