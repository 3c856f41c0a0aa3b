package io.holdfast.redlock.node;

import io.holdfast.spi.support.NameBuckets;

/**
 * The keys on a node. With {@code P} for {@code namespace:hfr:} (or {@code hfr:} without a namespace):
 *
 * <pre>
 *   hfr:node    what the node remembers of itself, and the last token of each bucket   stays; 4096 buckets for all namespaces
 *   Pl:name     the votes for a lock                                                   ends with the last of them
 *   Pt:bucket   withdrawn ids (tombstones)                                             ends after 10 s
 *   Pn:name     clients that wait for a lock                                           ends after 2 s
 * </pre>
 */
public final class NodeKeys {
    public static final String NODE = "hfr:node";

    private final String namespace;
    private final String prefix;

    public NodeKeys(String namespace) {
        this.namespace = namespace;
        this.prefix = namespace.isEmpty() ? "hfr:" : namespace + ":hfr:";
    }

    public String[] node() {
        return new String[] {NODE};
    }

    public String[] lock(String name) {
        return new String[] {NODE, lockKey(name), tombs(name), prefix + "n:" + name};
    }

    public String lockKey(String name) {
        return prefix + "l:" + name;
    }

    public String tombs(String name) {
        return prefix + "t:" + bucket(name);
    }

    public int bucket(String name) {
        return NameBuckets.of(namespace + '\n' + name);
    }

    /** A pattern for SCAN that matches the locks whose names begin so. */
    public String pattern(String namePrefix) {
        return (prefix + "l:" + namePrefix).replaceAll("[*?\\[\\]\\\\^-]", "\\\\$0") + "*";
    }

    public String nameOf(String lockKey) {
        return lockKey.substring(prefix.length() + 2);
    }
}
