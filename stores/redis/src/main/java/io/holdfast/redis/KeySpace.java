package io.holdfast.redis;

import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Where things are in Redis. With {@code P} for {@code namespace:hf:} (or {@code hf:} without a namespace) and {@code b}
 * for the bucket of the name, three hexadecimal digits:
 *
 * <pre>
 *   P{b}:l:name   the grants of a lock, and a sole waiter   ends with its last grant
 *   P{b}:q:name   the queue of its waiters      ends when nobody waits
 *   P{b}:w:name   what each waiter asked for    ends when nobody waits
 *   P{b}:n:name   clients that wait by asking again   ends 2 s after the last note
 *   P{b}:f        the last token of the bucket  stays; at most 4096 of them
 *   P{b}:t        tombstones of the bucket      ends after 10 s
 *   P{r}:m:name   the marks of a resource       stays; r is the resource, its own hash tag, or, for a name with } that
 *                                               has none, the smallest number in its slot
 *   P{r}:d:name   what was written to it last   stays; after RedisOptimistic for an hour
 *   Pc:id         channel of a client
 * </pre>
 *
 * <p>The bucket is the hash tag, so that lock, queue, fence and tombstones share a slot of a cluster. It is the CRC-32
 * of the name's UTF-8 bytes modulo 4096; changing that would split the world of running clients.
 */
final class KeySpace {
    static final int BUCKETS = 4096;

    private final String prefix;
    /** Made when needed, by whoever needs one: two threads may make the same. */
    private final @Nullable String[] tags = new String[BUCKETS];

    KeySpace(String namespace) {
        if (namespace.indexOf('{') >= 0 || namespace.indexOf('}') >= 0) {
            throw new IllegalArgumentException("namespace '" + namespace
                    + "' contains a brace, which would change where a cluster keeps the keys: remove it");
        }
        this.prefix = namespace.isEmpty() ? "hf:" : namespace + ":hf:";
    }

    /** The five keys of a lock, in the order in which the scripts declare them. */
    String[] lock(String name) {
        String tag = tag(name);
        return new String[] {tag + "l:" + name, tag + "f", tag + "q:" + name, tag + "w:" + name, tag + "t"};
    }

    /** Where it is noted which clients wait for a lock by asking again. */
    String notes(String name) {
        return tag(name) + "n:" + name;
    }

    /** Adds what a renewal needs. */
    void addRenewal(String name, String[] keys, int at) {
        String tag = tag(name);
        keys[at] = tag + "l:" + name;
        keys[at + 1] = tag + "t";
    }

    /** Where the marks of a resource are: in the slot of a key that is named like the resource. */
    String mark(String resource) {
        return beside(resource) + ":m:" + resource;
    }

    /** Where it is kept which writes to a resource, or to the value of a key, were made lately; in the same slot. */
    String done(String resource) {
        return beside(resource) + ":d:" + resource;
    }

    private String beside(String resource) {
        int open = resource.indexOf('{');
        int close = resource.indexOf('}', open + 1);
        String tag;
        if (open >= 0 && close > open + 1) {
            tag = resource.substring(open + 1, close);
        } else {
            // The whole name counts. With a brace in it, it cannot be a tag itself.
            tag = resource.indexOf('}') < 0 ? resource : tagOfSlot(SlotHash.getSlot(resource));
        }
        return prefix + "{" + tag + "}";
    }

    /** The smallest number that is a hash tag of this slot. */
    private static String tagOfSlot(int slot) {
        int number = 0;
        while (SlotHash.getSlot(Integer.toString(number)) != slot) {
            number++;
        }
        return Integer.toString(number);
    }

    /** The channel of a client; without spaces, whatever is in the namespace. */
    String channel(String id) {
        return Words.encode(prefix) + "c:" + id;
    }

    /** A pattern for SCAN that matches the locks whose names begin so, and little else. */
    String pattern(String namePrefix) {
        return glob(prefix) + "{???}:l:" + glob(namePrefix) + "*";
    }

    /** The lock name in a key that {@link #pattern} found. */
    String nameOf(String lockKey) {
        return lockKey.substring(prefix.length() + "{000}:l:".length());
    }

    private String tag(String name) {
        int bucket = bucket(name);
        String known = tags[bucket];
        if (known != null) {
            return known;
        }
        String tag = prefix + "{" + Integer.toHexString(bucket | BUCKETS).substring(1) + "}:";
        tags[bucket] = tag;
        return tag;
    }

    static int bucket(String name) {
        CRC32 crc = new CRC32();
        crc.update(name.getBytes(StandardCharsets.UTF_8));
        return (int) crc.getValue() & (BUCKETS - 1);
    }

    private static String glob(String text) {
        StringBuilder escaped = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '*' || c == '?' || c == '[' || c == ']' || c == '\\' || c == '^' || c == '-') {
                escaped.append('\\');
            }
            escaped.append(c);
        }
        return escaped.toString();
    }
}
