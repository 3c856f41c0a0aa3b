package io.holdfast.etcd.line;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.ByteSequence;
import io.holdfast.spi.HolderId;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The keys of the store. In a key a NUL follows the lock's name, and no name contains a NUL. So the key range of a name
 * never contains keys of another name, and keys are ordered by the bytes of the names.
 */
public final class KeySpace {
    private static final char END = '\0';

    private final String prefix;

    /** Keys in this namespace; empty for none. */
    public KeySpace(String namespace) {
        this.prefix = (namespace.isEmpty() ? "" : namespace + "/") + "holdfast/";
    }

    /** The queue of a lock, its holders included: one key per claim, ordered by create revision. */
    public ByteSequence queue(String name) {
        return bytes(prefix + "queue/" + name + END);
    }

    /** The key of a claim, made of the client's id and the slot that the client has given to the claim. */
    public ByteSequence claim(String name, String client, int slot) {
        return bytes(prefix + "queue/" + name + END + client + "-" + slot);
    }

    /** The lock-delays of a lock (L10): one key per holder that announced one. */
    public ByteSequence delays(String name) {
        return bytes(prefix + "delay/" + name + END);
    }

    /** The key of the lock-delay of a claim. */
    public ByteSequence delay(String name, String client, int slot) {
        return bytes(prefix + "delay/" + name + END + client + "-" + slot);
    }

    /** The tombstone of a claim that was released before it arrived (L1). */
    public ByteSequence tombstone(String name, HolderId holder) {
        return bytes(prefix + "gone/" + name + END + holder);
    }

    /** One of the marks of a guarded resource. */
    public ByteSequence mark(String resource, String which) {
        return bytes(prefix + "mark/" + resource + END + which);
    }

    /** The queues of all locks whose names begin with this prefix. */
    public ByteSequence allQueues(String namePrefix) {
        return bytes(prefix + "queue/" + namePrefix);
    }

    /** The lock-delays of all locks whose names begin with this prefix. */
    public ByteSequence allDelays(String namePrefix) {
        return bytes(prefix + "delay/" + namePrefix);
    }

    /**
     * The lock's name in a key of {@link #allQueues} or {@link #allDelays}; null if this store did not make the key.
     */
    public @Nullable String nameIn(ByteSequence key) {
        String text = key.toString(StandardCharsets.UTF_8);
        int end = text.lastIndexOf(END);
        int start = text.startsWith(prefix) ? text.indexOf('/', prefix.length()) + 1 : 0;
        return start > 0 && end > start ? text.substring(start, end) : null;
    }

    /** Whether the key is that of a claim in this namespace. */
    public boolean isClaim(ByteSequence key) {
        return key.startsWith(allQueues(""));
    }

    /** The first key after all keys that begin with this one. */
    public static ByteSequence endOf(ByteSequence start) {
        byte[] end = start.getBytes().clone();
        int last = end.length - 1;
        // UTF-8 has no byte 0xff, so this does not overflow.
        end[last]++;
        return ByteSequence.from(ByteString.copyFrom(end));
    }

    /** The one of the two keys that is first in the order of the store. */
    public static ByteSequence first(ByteSequence one, ByteSequence other) {
        return Arrays.compareUnsigned(one.getBytes(), other.getBytes()) <= 0 ? one : other;
    }

    /** The first key after this one. */
    public static ByteSequence after(ByteSequence key) {
        byte[] end = Arrays.copyOf(key.getBytes(), key.size() + 1);
        return ByteSequence.from(ByteString.copyFrom(end));
    }

    /** Text as the store keeps it. */
    public static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }
}
