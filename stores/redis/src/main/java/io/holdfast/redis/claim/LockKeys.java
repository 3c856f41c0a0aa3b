package io.holdfast.redis.claim;

import io.holdfast.guard.redis.mark.ResourceMarks;
import io.holdfast.spi.support.NameBuckets;
import org.jspecify.annotations.Nullable;

/**
 * The keys of locks in Redis. With {@code P} for {@code namespace:hf:}, or {@code hf:} without a namespace, and {@code b}
 * for the bucket of the name, three hexadecimal digits:
 *
 * <pre>
 *   P{b}:l:name   the grants of a lock, and a sole waiter     ends with its last grant
 *   P{b}:q:name   the queue of its waiters                    ends when no claim waits
 *   P{b}:w:name   what each waiter asked for                  ends when no claim waits
 *   P{b}:n:name   clients that wait by asking again           ends 2 s after the last note
 *   P{b}:f        the last token of the bucket                stays; at most 4096 of them
 *   P{b}:t        tombstones of the bucket                    ends after 10 s
 *   Pc:id         channel of a client
 * </pre>
 *
 * <p>The keys of marks are in {@link ResourceMarks}. The bucket is the hash tag, so that lock, queue, fence and tombstones
 * share a slot of a cluster.
 */
public final class LockKeys {
    private final String prefix;
    private final ResourceMarks marks;
    /** Made when it is first needed; two threads may make the same. */
    private final @Nullable String[] tags = new String[NameBuckets.COUNT];

    /** The keys of a namespace; empty for none. */
    public LockKeys(String namespace) {
        this.prefix = ResourceMarks.prefix(namespace);
        this.marks = new ResourceMarks(namespace);
    }

    /** The five keys of a lock, in the order in which the scripts declare them. */
    public String[] lock(String name) {
        String tag = tag(name);
        return new String[] {tag + "l:" + name, tag + "f", tag + "q:" + name, tag + "w:" + name, tag + "t"};
    }

    /** Where clients note that they wait for a lock by asking again (L21). */
    String notes(String name) {
        return tag(name) + "n:" + name;
    }

    /** Adds what a renewal needs. */
    void addRenewal(String name, String[] keys, int at) {
        String tag = tag(name);
        keys[at] = tag + "l:" + name;
        keys[at + 1] = tag + "t";
    }

    /** Where the marks of a resource are. */
    String mark(String resource) {
        return marks.mark(resource);
    }

    /** The channel of a client. It has no spaces, even if the namespace has. */
    public String channel(String id) {
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
        int bucket = NameBuckets.of(name);
        String known = tags[bucket];
        if (known != null) {
            return known;
        }
        String tag =
                prefix + "{" + Integer.toHexString(bucket | NameBuckets.COUNT).substring(1) + "}:";
        tags[bucket] = tag;
        return tag;
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
