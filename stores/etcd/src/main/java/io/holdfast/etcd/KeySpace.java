package io.holdfast.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.ByteSequence;
import io.holdfast.spi.HolderId;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Where everything is. A name is followed by a NUL, which no name contains: so names cannot reach into each other's
 * ranges whatever is in them, and keys are in the order of the names' bytes.
 */
final class KeySpace {
    private static final char END = '\0';
    private static final int HOLDER_LENGTH = 40;

    private final String prefix;

    KeySpace(String namespace) {
        this.prefix = (namespace.isEmpty() ? "" : namespace + "/") + "holdfast/";
    }

    /** The queue of a name, the holders at its head: one key per claim, ordered by create revision. */
    ByteSequence queue(String name) {
        return bytes(prefix + "queue/" + name + END);
    }

    ByteSequence place(String name, HolderId holder) {
        return bytes(prefix + "queue/" + name + END + holder);
    }

    /** The claims that keep the name closed if they end without a release (L10): one key per holder. */
    ByteSequence delays(String name) {
        return bytes(prefix + "delay/" + name + END);
    }

    ByteSequence delay(String name, HolderId holder) {
        return bytes(prefix + "delay/" + name + END + holder);
    }

    /** The tombstone of a claim that was released before it arrived (L1). */
    ByteSequence tombstone(String name, HolderId holder) {
        return bytes(prefix + "gone/" + name + END + holder);
    }

    /** One of the marks of a guarded resource. */
    ByteSequence mark(String resource, String which) {
        return bytes(prefix + "mark/" + resource + END + which);
    }

    /** All queues of names that begin so. */
    ByteSequence allQueues(String namePrefix) {
        return bytes(prefix + "queue/" + namePrefix);
    }

    /** All delays of names that begin so. */
    ByteSequence allDelays(String namePrefix) {
        return bytes(prefix + "delay/" + namePrefix);
    }

    /** The name in a key of {@link #allQueues} or {@link #allDelays}; null if the key is none of ours. */
    @Nullable
    String nameIn(ByteSequence key) {
        String text = key.toString(StandardCharsets.UTF_8);
        int end = text.lastIndexOf(END);
        int start = text.startsWith(prefix) ? text.indexOf('/', prefix.length()) + 1 : 0;
        return start > 0 && end > start ? text.substring(start, end) : null;
    }

    /** Whether the key is a place in a queue of this namespace. */
    boolean isPlace(ByteSequence key) {
        return key.startsWith(allQueues("")) && holderIn(key) != null;
    }

    /** The holder id at the end of a key; null if there is none. */
    static @Nullable HolderId holderIn(ByteSequence key) {
        String text = key.toString(StandardCharsets.UTF_8);
        int end = text.lastIndexOf(END);
        if (end < 0 || text.length() - end - 1 != HOLDER_LENGTH) {
            return null;
        }
        try {
            return HolderId.parse(text.substring(end + 1));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** The first key after all that begin with this one. */
    static ByteSequence endOf(ByteSequence start) {
        byte[] end = start.getBytes().clone();
        int last = end.length - 1;
        // No key of ours ends with 0xff: UTF-8 has no such byte.
        end[last]++;
        return ByteSequence.from(ByteString.copyFrom(end));
    }

    static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }
}
