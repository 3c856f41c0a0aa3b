package io.holdfast.redlock;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/**
 * Where things are on a node. With {@code P} for {@code namespace:hfr:} (or {@code hfr:} without a namespace):
 *
 * <pre>
 *   hfr:node    what the node remembers of itself, and the last token of each bucket   stays; 4096 buckets for all namespaces
 *   Pl:name     the votes for a lock                                                   ends with the last of them
 *   Pt:bucket   withdrawn ids (tombstones)                                             ends after 10 s
 *   Pn:name     clients that wait for a lock                                           ends after 2 s
 * </pre>
 */
final class KeySpace {
    static final int BUCKETS = 4096;
    static final String NODE = "hfr:node";

    private final String namespace;
    private final String prefix;

    KeySpace(String namespace) {
        this.namespace = namespace;
        this.prefix = namespace.isEmpty() ? "hfr:" : namespace + ":hfr:";
    }

    String[] node() {
        return new String[] {NODE};
    }

    String[] lock(String name) {
        return new String[] {NODE, lockKey(name), tombs(name), prefix + "n:" + name};
    }

    String lockKey(String name) {
        return prefix + "l:" + name;
    }

    String tombs(String name) {
        return prefix + "t:" + bucket(name);
    }

    int bucket(String name) {
        CRC32 crc = new CRC32();
        crc.update((namespace + '\n' + name).getBytes(StandardCharsets.UTF_8));
        return (int) crc.getValue() & (BUCKETS - 1);
    }

    /** A pattern for SCAN that matches the locks whose names begin so. */
    String pattern(String namePrefix) {
        return (prefix + "l:" + namePrefix).replaceAll("[*?\\[\\]\\\\^-]", "\\\\$0") + "*";
    }

    String nameOf(String lockKey) {
        return lockKey.substring(prefix.length() + 2);
    }
}
