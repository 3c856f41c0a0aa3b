package io.holdfast.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.ByteSequence;
import io.holdfast.spi.HolderId;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where everything is. A name is followed by a NUL, which no name contains: so names cannot reach into each other's
 * ranges whatever is in them, and keys are in the order of the names' bytes.
 */
final class KeySpace {
    private static final char END = '\0';

    private final String prefix;

    KeySpace(String namespace) {
        this.prefix = (namespace.isEmpty() ? "" : namespace + "/") + "holdfast/";
    }

    /** The queue of a name, the holders at its head: one key per claim, ordered by create revision. */
    ByteSequence queue(String name) {
        return bytes(prefix + "queue/" + name + END);
    }

    /** The key of a claim: of this client, in a slot that it uses again and again (see {@link Slots}). */
    ByteSequence place(String name, String client, int slot) {
        return bytes(prefix + "queue/" + name + END + client + "-" + slot);
    }

    /** The claims that keep the name closed if they end without a release (L10): one key per holder. */
    ByteSequence delays(String name) {
        return bytes(prefix + "delay/" + name + END);
    }

    ByteSequence delay(String name, String client, int slot) {
        return bytes(prefix + "delay/" + name + END + client + "-" + slot);
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
        return key.startsWith(allQueues(""));
    }

    /** The first key after all that begin with this one. */
    static ByteSequence endOf(ByteSequence start) {
        byte[] end = start.getBytes().clone();
        int last = end.length - 1;
        // No key of ours ends with 0xff: UTF-8 has no such byte.
        end[last]++;
        return ByteSequence.from(ByteString.copyFrom(end));
    }

    /** Whichever of the two stands first in the order of the store. */
    static ByteSequence first(ByteSequence one, ByteSequence other) {
        return Arrays.compareUnsigned(one.getBytes(), other.getBytes()) <= 0 ? one : other;
    }

    /** The first key after this one. */
    static ByteSequence after(ByteSequence key) {
        byte[] end = Arrays.copyOf(key.getBytes(), key.size() + 1);
        return ByteSequence.from(ByteString.copyFrom(end));
    }

    static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }
}
